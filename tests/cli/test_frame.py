"""The frame of the command line, with real modules put beside the real commands while a test runs."""

from __future__ import annotations

import io
import os
import pty
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from click import NoSuchOption
from click.testing import CliRunner, Result
from rich.console import Console

import syncbot.cli
from syncbot.cli.progress import meter

NO_OPTION = NoSuchOption("--florb").message.rstrip(".")  # click words it differently from version to version
COMMAND = """
import click, os
from syncbot.errors import ConfigurationError, EnvironmentFailure, UsageError

@click.command()
@click.argument("how")
def command(how):
    "A command of the tests."
    if how == "found":
        return 1
    if how == "exit":
        click.get_current_context().exit(1)
    if how == "usage":
        raise UsageError("no such thing:\\n  give another")
    if how == "configuration":
        raise ConfigurationError("bad key")
    if how == "environment":
        raise EnvironmentFailure("no network")
    if how == "disk":
        open("/nonexistent/file")
    if how == "defect":
        return [][0]
    if how == "interrupt":
        raise KeyboardInterrupt
    if how == "talk":
        for number in range(100000):
            click.echo(number)
        return 1
"""


@pytest.fixture
def commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    (tmp_path / "try_out.py").write_text(COMMAND, encoding="utf-8")
    (tmp_path / "no_command_in_here.py").write_text("x = 1\n", encoding="utf-8")
    monkeypatch.setattr(syncbot.cli, "__path__", [*syncbot.cli.__path__, str(tmp_path)])
    yield tmp_path
    for name in ("try_out", "no_command_in_here"):
        sys.modules.pop(f"syncbot.cli.{name}", None)


def run(*args: str) -> Result:
    return CliRunner().invoke(syncbot.cli.main, args)


@pytest.mark.parametrize(
    ("how", "code", "message"),
    [
        ("nothing", 0, ""),
        ("found", 1, ""),
        ("exit", 1, ""),
        ("usage", 2, "syncbot: no such thing: give another\n"),
        ("configuration", 2, "syncbot: bad key\n"),
        ("environment", 3, "syncbot: no network\n"),
        ("disk", 3, "syncbot: No such file or directory: /nonexistent/file\n"),
        ("interrupt", 130, "syncbot: interrupted\n"),
    ],
)
def test_exit_codes(commands: Path, how: str, code: int, message: str) -> None:
    result = run("try-out", how)
    assert result.exit_code == code
    assert result.stderr.lstrip("\n") == message
    assert result.stdout == ""


def test_a_defect_is_no_finding(commands: Path) -> None:
    result = run("try-out", "defect")
    assert result.exit_code == 3
    assert "IndexError" in result.stderr
    assert result.stderr.splitlines()[-1].startswith("syncbot: this is a defect of syncbot")


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("try-out",), "syncbot: Missing argument 'HOW' (see 'syncbot try-out --help')\n"),
        (
            ("try-uot", "x"),
            "syncbot: no command is called 'try-uot'; the nearest is 'try-out' (see 'syncbot --help')\n",
        ),
        (("--florb",), f"syncbot: {NO_OPTION} (see 'syncbot --help')\n"),
        (("apply", "--to"), "syncbot: Option '--to' requires an argument (see 'syncbot apply --help')\n"),
        (
            ("migrate", "--from"),
            "syncbot: Option '--from' requires an argument (see 'syncbot migrate --help')\n",
        ),
        (("migrate",), "syncbot: Missing option '--from' (see 'syncbot migrate --help')\n"),
    ],
)
def test_wrong_use_is_one_line(commands: Path, args: tuple[str, ...], message: str) -> None:
    result = run(*args)
    assert (result.exit_code, result.stderr) == (2, message)


@pytest.mark.parametrize("name", ["no-command-in-here", "progress", "os.path", ".", "__init__"])
def test_other_modules_are_no_commands(commands: Path, name: str) -> None:
    result = run(name)
    assert result.exit_code == 2
    assert result.stderr.startswith(f"syncbot: no command is called {name!r}")
    assert result.stderr.count("\n") == 1


def test_help_lists_the_commands_and_the_exit_codes(commands: Path) -> None:
    result = run("--help")
    assert result.exit_code == 0
    assert re.search(r"try-out +A command of the tests\.", result.stdout)
    assert "no-command-in-here" not in result.stdout
    assert "  3    the environment failed" in result.stdout


def test_no_list_of_commands_is_cut() -> None:
    """A list of commands has one line for each, which ends like a sentence."""
    groups = [("--help",), *((name, "--help") for name in ("baseline", "patch", "publish"))]
    for line in groups:
        done = CliRunner().invoke(syncbot.cli.main, line)
        listed = done.stdout.partition("\nCommands:\n")[2].partition("\n\n")[0].splitlines()
        assert listed
        assert [text for text in listed if not re.fullmatch(r"  [a-z-]+ +[A-Z].*[^.]\.", text)] == []


def test_without_arguments_it_helps(commands: Path) -> None:
    result = run()
    assert result.exit_code == 2
    assert "try-out" in result.output


def test_python_m_syncbot_is_the_same_program() -> None:
    done = subprocess.run([sys.executable, "-m", "syncbot", "--version"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, f"syncbot {syncbot.__version__}\n")


def test_a_closed_pipe_is_no_error(commands: Path) -> None:
    path = f"syncbot.cli.__path__.append({str(commands)!r})"
    program = f"import syncbot.cli; {path}; syncbot.cli.main(['try-out', 'talk'])"
    writer = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert writer.stdout is not None
    assert writer.stderr is not None
    assert writer.stdout.readline() == b"0\n"
    writer.stdout.close()
    assert writer.stderr.read() == b""
    writer.stderr.close()
    assert writer.wait() == 0


def test_no_progress_off_a_terminal() -> None:
    out = io.StringIO()
    with meter(Console(file=out), delay=0) as report:
        report("downloading", 1, 3)
    assert out.getvalue() == ""


def _all(master: int) -> str:
    """Return all that was written to a terminal whose other end is closed; it comes in pieces."""
    shown = b""
    with suppress(OSError):
        while piece := os.read(master, 100_000):
            shown += piece
    os.close(master)
    return shown.decode()


def test_progress_on_a_terminal_names_the_step() -> None:
    master, slave = pty.openpty()
    with os.fdopen(slave, "w") as terminal, meter(Console(file=terminal), delay=0) as report:
        report("downloading", 0, 3)
        report("counting", 1, None)
        report("downloading", 3, 3)
    shown = _all(master)
    assert "downloading" in shown
    assert "counting" in shown


def test_what_is_quick_shows_no_progress() -> None:
    out = io.StringIO()
    with meter(Console(file=out, force_terminal=True), delay=3600) as report:
        report("downloading", 3, 3)
    assert "downloading" not in out.getvalue()


def test_a_command_imports_no_other_command() -> None:
    look = (
        "import sys, syncbot.cli, pathlib\n"
        "try:\n    syncbot.cli.main(['contracts', '--help'])\nexcept SystemExit:\n    pass\n"
        "files = {file.stem for file in pathlib.Path(syncbot.cli.__file__).parent.glob('*.py')}\n"
        "found = [name for name in sorted(files) if f'syncbot.cli.{name}' in sys.modules]\n"
        "print([name for name in found if hasattr(sys.modules[f'syncbot.cli.{name}'], 'command')])\n"
    )
    done = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "['contracts']"
