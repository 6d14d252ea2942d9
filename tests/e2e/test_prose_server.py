"""A report worded by a real server: the engine itself with the backend of this repository, on the CPU.

The model's weights are random and so are its words: the check has to refuse them, and the report falls back
to its facts.
"""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from click.testing import CliRunner

from syncbot.cli import main
from syncbot.isolation.run_command import tail
from syncbot.verify.simulate import installed_aside

from .test_simulate import NEWEST, Bench

pytestmark = pytest.mark.machine

#: Seconds of clock: beside other work it took more than 420. One that ends is noticed at once.
PATIENCE = 1200


@pytest.fixture(scope="module")
def server(project: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the server."""
    bench = Bench(project, NEWEST)
    # Sockets of the engine lie below it, and their paths must be short.
    folder = tmp_path_factory.mktemp("serve")
    site, work, log = folder / "site", folder / "w", folder / "log"
    work.mkdir()
    installed_aside(bench.prepared, site, folder / "install.log")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with log.open("wb") as output:
        process = subprocess.Popen(
            [bench.environment.python, Path(__file__).with_name("serve_tiny.py"), work / "tiny", str(port)],
            env=bench.prepared.variables(site, work),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd=work,
            start_new_session=True,
        )
    try:
        deadline = time.monotonic() + PATIENCE
        while not answers(port):
            assert process.poll() is None, "\n".join(tail(log))
            assert time.monotonic() < deadline, "\n".join(tail(log))
            time.sleep(0.5)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def answers(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=1) as response:
            return bool(response.status == 200)
    except OSError:
        return False


def git(folder: Path, *args: str) -> None:
    who = {f"GIT_{role}_{what}": "eve" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    quiet = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(
        ["git", "-C", folder, *args], check=True, capture_output=True, env=os.environ | who | quiet
    )


def test_a_random_model_is_refused_and_the_facts_remain(
    server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SYNCBOT_CACHE", str(tmp_path / "cache"))
    engine, plugin = tmp_path / "engine", tmp_path / "plugin"
    for package in (engine / "engine", plugin / "src" / "plugin"):
        package.mkdir(parents=True)
        (package / "__init__.py").touch()
    git(engine, "init", "--quiet", "--initial-branch=main")
    git(engine, "add", "--all")
    git(engine, "commit", "--quiet", "-m", "Begin")
    (engine / "engine" / "text.py").write_text("def clean(text):\n    return text\n", encoding="utf-8")
    git(engine, "add", "--all")
    git(engine, "commit", "--quiet", "-m", "Add a module (#7)")
    (plugin / "pyproject.toml").write_text(
        '[tool.syncbot.upstreams.engine]\npackages = ["engine"]\ngit = "../engine"\n'
        f'[tool.syncbot.llm]\nbase_url = "{server}"\nmodel = "tiny"\nreply = 24\ntimeout = 120\n',
        encoding="utf-8",
    )

    def check(*args: str) -> str:
        line = [
            "check",
            "--backend",
            str(plugin),
            "--from",
            "HEAD~1",
            "--engine",
            "contracts",
            "--format",
            "markdown",
        ]
        done = CliRunner().invoke(main, [*line, *args])
        assert done.exit_code == 0, done.output
        return done.stdout

    report, facts = check(), check("--no-prose")
    # It was a real answer: the words that the model's tokens stand for.
    (kept,) = (tmp_path / "cache" / "prose").iterdir()
    # Before it stands its checksum.
    assert re.search(rb'"text": "w\d+ w\d+ .*"tokens": \d{2,}', kept.read_bytes(), re.DOTALL)
    assert "Worded by tiny: 0 of 1 commit; refused 1, without an answer 0, not asked 0." in report
    assert "Only the factual text is shown: the model's answer was refused" in report
    assert not re.search(r"\bw\d+ w\d+", report)
    added = [line for line in report.splitlines() if line not in facts.splitlines()]
    assert len(added) == 2
