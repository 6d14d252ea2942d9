"""``syncbot migrate``, ``gate`` and ``ungate`` on a plugin that has no lanes."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import Result

from syncbot import atomic

from .conftest import Project


def committed(project: Project) -> None:
    """Put the plugin under git."""
    who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.com")
    for line in (("init", "--quiet"), ("add", "--all"), (*who, "commit", "--quiet", "-m", "Begin")):
        subprocess.run(["git", "-C", project.plugin, *line], check=True, env=quiet())


def quiet() -> dict[str, str]:
    base = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    return base | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}


def migrate(project: Project, *args: str) -> Result:
    return project.run("migrate", "--from", "v0.1.0", "--engine", "contracts", *args)


def text(project: Project, path: str = "src/plugin/worker.py") -> str:
    return (project.plugin / path).read_text(encoding="utf-8")


@pytest.fixture
def moved(project: Project) -> Project:
    """Upstream moves a module, adds a parameter that it passes, and removes a function."""
    project.move_a_module()
    project.change("engine/worker.py", "batch: list[int])", "batch: list[int], step: int)", "Count steps")
    project.change("engine/worker.py", "execute([1])", "execute([1], step=1)", "Pass steps (#9)")
    project.change("engine/text.py", "def split(text: str) -> tuple[str, str]:\n    return text, text\n", "")
    # The removed function cannot be kept in the file: its name means something else there, too.
    own = text(project) + "\n\ndef shown(split: str) -> str:\n    return split\n"
    project.write({"src/plugin/worker.py": own})
    committed(project)
    return project


def test_what_has_a_rewrite_is_rewritten_and_the_rest_listed(moved: Project) -> None:
    result = migrate(moved)
    assert result.exit_code == 1, result.output
    assert "from engine.settings import Config" in text(moved)
    assert "def execute(self, batch: list[int], step: int)" in text(moved)
    assert "src/plugin/worker.py:1: import_moved: engine.config no longer exists" in result.output
    assert "#7)" in result.output
    assert "needs an author: src/plugin/worker.py:2: engine.text.split no longer exists" in result.output
    assert "upstream's own importers do not show where engine.text.split is now" in result.output
    compile(text(moved), "worker.py", "exec")
    again = migrate(moved, "--allow-dirty")
    assert "0 of 1 break rewritten, in 0 files" in again.output


def test_a_diff_is_all_that_is_written_and_git_applies_it(moved: Project, tmp_path: Path) -> None:
    before = text(moved)
    shown = migrate(moved, "--diff")
    assert shown.exit_code == 1
    assert text(moved) == before
    assert shown.stdout.startswith("--- a/src/plugin/worker.py\n")
    assert "2 of 3 breaks would be rewritten, in 1 file\n" in shown.stderr
    assert migrate(moved, "--diff").stdout == shown.stdout
    migrate(moved)
    after = text(moved)
    subprocess.run(["git", "-C", moved.plugin, "checkout", "--quiet", "."], check=True, env=quiet())
    (tmp_path / "edits.diff").write_text(shown.stdout, encoding="utf-8")
    subprocess.run(["git", "-C", moved.plugin, "apply", tmp_path / "edits.diff"], check=True, env=quiet())
    assert text(moved) == after


def test_a_changed_tree_is_refused_in_one_line(moved: Project) -> None:
    moved.write({"src/plugin/__init__.py": "x = 1\n"})
    before = text(moved)
    result = migrate(moved)
    assert result.exit_code == 2
    assert "changes that are not committed (src/plugin/__init__.py)" in result.output
    assert len(result.output.strip().splitlines()) == 1
    assert text(moved) == before


def test_files_that_git_does_not_know_are_no_change(moved: Project) -> None:
    moved.write({"notes.txt": "mine"})
    assert "rewritten" in migrate(moved).output


@pytest.mark.parametrize("mode", ["migrate", "gate"])
def test_a_file_that_git_could_not_bring_back_is_not_rewritten(moved: Project, mode: str) -> None:
    moved.write({"src/plugin/new.py": "from engine.config import Config\n\nmine = Config()\n"})
    before = state(moved)
    arguments = (mode, "--from", "v0.1.0", "--engine", "contracts")
    arguments += (*GATES, "--keep", "0.1.0") if mode == "gate" else ()
    result = moved.run(*arguments)
    assert result.exit_code == 2
    assert "src/plugin/new.py, so it could not be undone: add and commit" in result.output
    assert len(result.output.strip().splitlines()) == 1
    assert state(moved) == before
    assert moved.run(*arguments, "--check").exit_code == 1
    subprocess.run(["git", "-C", moved.plugin, "add", "--all"], check=True, env=quiet())
    assert moved.run(*arguments, "--allow-dirty").exit_code == 1
    assert "engine.settings" in text(moved, "src/plugin/new.py")


def test_what_git_does_not_track_may_be_allowed(moved: Project) -> None:
    moved.write({"src/plugin/new.py": "from engine.config import Config\n\nmine = Config()\n"})
    assert migrate(moved, "--allow-dirty").exit_code == 1
    assert "engine.settings" in text(moved, "src/plugin/new.py")


def test_in_a_linked_working_tree_git_is_asked_too(moved: Project) -> None:
    linked = moved.plugin.parent / "linked"
    subprocess.run(["git", "-C", moved.plugin, "worktree", "add", "--quiet", linked], check=True, env=quiet())
    project = Linked(moved.root, files=moved.files)
    project.write({"src/plugin/new.py": "from engine.config import Config\n"})
    assert "git does not track" in migrate(project).output
    (linked / "src/plugin/new.py").unlink()
    assert migrate(project).exit_code == 1
    assert "engine.settings" in text(project)


class Linked(Project):
    @property
    def plugin(self) -> Path:
        return self.root / "linked"


def test_windows_line_ends_are_kept_or_left_alone(moved: Project) -> None:
    file = moved.plugin / "src/plugin/worker.py"
    file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
    before = file.read_bytes()
    committing(moved)
    result = moved.run("gate", "--from", "v0.1.0", "--keep", "0.1.0", "--engine", "contracts", *GATES)
    assert result.exit_code == 1
    assert "not gated: src/plugin/worker.py: it has tabs or Windows line ends" in result.output
    assert file.read_bytes() == before
    assert migrate(moved).exit_code == 1
    after = file.read_bytes()
    assert b"engine.settings" in after
    assert after.count(b"\n") == after.count(b"\r\n")


def committing(project: Project) -> None:
    who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "core.autocrlf=false")
    subprocess.run(
        ["git", "-C", project.plugin, *who, "commit", "--quiet", "-am", "More"], check=True, env=quiet()
    )


@pytest.mark.parametrize("check", [(), ("--check",)])
def test_a_file_that_cannot_be_read_is_named(project: Project, check: tuple[str, ...]) -> None:
    project.noise()
    project.write({"src/plugin/broken.py": "from engine.config import Config\n\ndef f(:\n"})
    (project.plugin / "src/plugin/latin.py").write_bytes(b"# -*- coding: latin-1 -*-\nNAME = 'caf\xe9'\n")
    (project.plugin / os.fsdecode(b"src/plugin/caf\xe9.py")).write_text("NAME = 1\n")
    committed(project)
    result = migrate(project, *check)
    assert result.exit_code == 1, result.output
    assert "not looked at: src/plugin/broken.py: syntax error in line 3: " in result.output
    assert "not looked at: src/plugin/latin.py: it is not UTF-8" in result.output
    assert r"not looked at: src/plugin/caf\xe9.py: its name is not UTF-8" in result.output
    gate = project.run("gate", "--from", "v0.1.0", "--engine", "contracts", *GATES, *check)
    assert gate.exit_code == 1
    assert "not looked at: src/plugin/broken.py" in gate.output


def test_without_git_it_has_to_be_allowed(project: Project) -> None:
    project.noise()
    result = migrate(project)
    assert result.exit_code == 2
    assert "so nothing could be undone: put it into one, or pass --allow-dirty" in result.output
    assert migrate(project, "--allow-dirty").exit_code == 0


def test_check_changes_nothing(moved: Project) -> None:
    before = text(moved)
    result = migrate(moved, "--check")
    assert result.exit_code == 1
    assert "2 of 3 breaks would be rewritten, in 1 file\n" in result.output
    assert text(moved) == before


@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError(28, "No space left on device")])
def test_interrupted_while_writing_leaves_every_file_as_it_was(
    moved: Project, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    moved.write({"src/plugin/zlast.py": "from engine.config import Config\n\nmine = Config()\n"})
    subprocess.run(["git", "-C", moved.plugin, "add", "--all"], check=True, env=quiet())
    before = {path: path.read_bytes() for path in sorted(moved.plugin.rglob("*.py"))}
    real = os.replace

    def replace(source: Path, target: Path) -> None:
        if Path(target).name == "zlast.py":
            raise error
        real(source, target)

    monkeypatch.setattr(atomic.os, "replace", replace)
    assert migrate(moved, "--allow-dirty").exit_code in (3, 130)
    monkeypatch.undo()
    assert {path: path.read_bytes() for path in sorted(moved.plugin.rglob("*.py"))} == before
    assert not (moved.plugin / ".git/.syncbot-apply").exists()


@pytest.mark.parametrize("mode", [("--mode", "migrate"), ("--mode=migrate",)])
def test_the_former_name_of_a_command_works_and_says_the_new_one(
    moved: Project, mode: tuple[str, ...]
) -> None:
    arguments = ("--from", "v0.1.0", "--engine", "contracts", "--check")
    former, current = moved.run("apply", *mode, *arguments), moved.run("migrate", *arguments)
    assert (former.exit_code, former.stdout) == (current.exit_code, current.stdout)
    assert former.stderr == (
        "syncbot: 'syncbot apply --mode migrate' is 'syncbot migrate' now; "
        "the next version no longer takes --mode\n"
    )
    assert current.stderr == ""


def test_what_was_no_mode_is_no_command(project: Project) -> None:
    result = project.run("apply", "--mode", "migrat")
    assert result.exit_code == 2
    assert result.stderr == (
        "syncbot: apply has no mode 'migrat': the former modes are the commands migrate, gate, ungate now "
        "(see 'syncbot --help')\n"
    )


GATES = ("--gate", 'engine_is("{version}")', "--gate-import", "from plugin.utils import engine_is")


def test_gate_keeps_both_and_ungate_gives_the_new_one(moved: Project) -> None:
    before = text(moved)
    result = moved.run("gate", "--from", "v0.1.0", "--keep", "0.1.0", "--engine", "contracts", *GATES)
    assert result.exit_code == 1, result.output
    assert "gates of 0.1.0 in 1 file\n" in result.output
    both = text(moved)
    assert 'if engine_is("0.1.0"):\n    from engine.config import Config\nelse:\n' in both
    assert "from plugin.utils import engine_is\n" in both
    compile(both, "worker.py", "exec")
    ungated = moved.run("ungate", "0.1.0", "--allow-dirty", *GATES[:2])
    assert ungated.exit_code == 0, ungated.output
    assert "src/plugin/worker.py: lost its gates of 0.1.0" in ungated.output
    assert "engine_is" not in text(moved)
    moved.write({"src/plugin/worker.py": before})
    assert migrate(moved).exit_code == 1
    migrated = text(moved)
    moved.write({"src/plugin/worker.py": both})
    moved.run("ungate", "0.1.0", "--allow-dirty", *GATES[:2])
    assert text(moved) == migrated


@pytest.mark.long
@pytest.mark.parametrize("mode", ["migrate", "gate"])
def test_a_killed_run_is_finished_or_forgotten_by_the_next(moved: Project, mode: str) -> None:
    """Killed at each step of writing: every file is whole, and after the next run all are old or all new."""
    arguments = [mode, "--from", "v0.1.0", "--engine", "contracts", *GATES, "--keep", "0.1.0"]
    command = arguments if mode == "gate" else arguments[:5]
    moved.write({"src/plugin/zlast.py": "from engine.config import Config\n\nmine = Config()\n"})
    (moved.plugin / "src/plugin/worker.py").chmod(0o755)
    subprocess.run(["git", "-C", moved.plugin, "add", "--all"], check=True, env=quiet())
    before = state(moved)
    assert moved.run(*command, "--allow-dirty").exit_code == 1
    after = state(moved)
    assert before.keys() == after.keys()
    assert [path for path in before if before[path] != after[path]] == ["worker.py", "zlast.py"]
    ends = []
    for moment in range(1, 9):
        moved.write({f"src/plugin/{path}": content.decode() for path, (content, _) in before.items()})
        if not killed(moved, command, moment):
            break
        left = state(moved)
        assert all(left[path] in (before[path], after[path]) for path in before)
        # The tree is not as it was committed: the next run finishes, or forgets, and says so.
        assert moved.run(*command).exit_code == 2
        assert state(moved) in (before, after)
        assert not (moved.plugin / ".git/.syncbot-apply").exists()
        ends.append(state(moved) == after)
    # The journal of both files and its manifest, then both files.
    assert ends == [False, False, False, True, True]
    assert state(moved) == after


def state(project: Project) -> dict[str, tuple[bytes, int]]:
    """Content and mode of all files beside the plugin's modules, what a run left behind included."""
    files = sorted(p for p in (project.plugin / "src/plugin").rglob("*") if p.is_file())
    return {p.name: (p.read_bytes(), p.stat().st_mode) for p in files}


def killed(project: Project, command: Sequence[str], moment: int) -> bool:
    """Whether a run was killed at that replacement of a file; it ended by itself if it has fewer."""
    child = os.fork()
    if not child:
        real, calls = os.replace, 0

        def replace(source: str | Path, target: str | Path) -> None:
            nonlocal calls
            calls += str(target).startswith(str(project.plugin))
            if calls == moment:
                os.kill(os.getpid(), signal.SIGKILL)
            real(source, target)

        atomic.os.replace = replace  # type: ignore[assignment]
        project.run(*command, "--allow-dirty")
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL


def test_gates_have_to_be_known(moved: Project) -> None:
    result = moved.run("ungate", "0.1.0")
    assert result.exit_code == 2
    assert "set gate in [tool.syncbot]" in result.output
    without = moved.run("gate", "--from", "main", *GATES)
    assert "name the version whose code is kept: --keep" in without.output


@pytest.mark.parametrize("version", ['1.0"); evil("', "0.1.x", "0.1 ", "v0.1.0", "x.y"])
def test_what_is_no_version_is_refused(moved: Project, version: str) -> None:
    before = text(moved)
    result = moved.run("gate", "--from", "v0.1.0", "--keep", version, *GATES[:2])
    assert result.exit_code == 2
    assert result.output == f"syncbot: {version!r} is not a version as gates have it, such as 0.31.0\n"
    assert text(moved) == before


def test_a_gate_that_no_version_fits_is_refused(moved: Project) -> None:
    result = moved.run("ungate", "0.1.0", "--gate", "engine.version == {version}")
    assert result.exit_code == 2
    assert "gate = 'engine.version == {version}' is no expression" in result.output


def test_ungate_check_changes_nothing(project: Project) -> None:
    code = "from plugin.utils import engine_is\n\nif engine_is('1.0'):\n    x = 1\nelse:\n    x = 2\n"
    project.write({"src/plugin/a.py": code})
    committed(project)
    result = project.run("ungate", "1.0", "--check", *GATES[:2])
    assert result.exit_code == 1
    assert text(project, "src/plugin/a.py") == code
    absent = project.run("ungate", "9.0", *GATES[:2])
    assert (absent.exit_code, absent.output) == (0, "no gate of 9.0 found\n")
    (project.plugin / "src/plugin/latin.py").write_bytes(b"# coding: latin-1\nengine_is('\xe9')\n")
    result = project.run("ungate", "9.0", "1.0", "zork", "--allow-dirty", *GATES[:2])
    assert result.exit_code == 1
    assert "left as it is: src/plugin/latin.py: it is not UTF-8" in result.output
    (project.plugin / "src/plugin/latin.py").unlink()
    project.write({"src/plugin/a.py": code})
    result = project.run("ungate", "9.0", "1.0", "zork", "--allow-dirty", *GATES[:2])
    assert result.exit_code == 0
    assert "no gate of 9.0, zork found" in result.output
    assert text(project, "src/plugin/a.py").strip() == "x = 2"
