"""A signal ends ``syncbot publish`` while a server, or the remote, takes its time."""

from __future__ import annotations

import os
import signal
import socketserver
import sys
import threading
from pathlib import Path

import pytest

from tests.interrupted_program import STUBBORN, Ended, interrupted, living

from .github_server import TOKEN, State
from .project import Project

pytestmark = pytest.mark.long
SIGNALS = pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])


def environment(folder: Path, url: str) -> dict[str, str]:
    (folder / "tmp").mkdir()
    return {
        "GITHUB_TOKEN": TOKEN, "GITHUB_API_URL": url, "GITHUB_REPOSITORY": State.name,
        "TMPDIR": str(folder / "tmp"),
    }  # fmt: skip


@SIGNALS
def test_while_the_remote_takes_what_is_pushed(
    project: Project, state: State, tmp_path: Path, how: signal.Signals
) -> None:
    mark, number = tmp_path / "running", f"{os.getpid()}{how}"
    hook = project.remote / "hooks/pre-receive"
    hook.write_text(STUBBORN.format(mark=mark, number=number))
    hook.chmod(0o755)
    before, head = project.files(), project.shown("for-each-ref")
    command = [sys.executable, "-m", "syncbot", "publish", "pr", "--backend", project.plugin]
    ended = interrupted(command, how, mark, environment(tmp_path, state.url))
    assert ended == Ended(130, "", "syncbot: interrupted\n")
    assert living(f"600.{number}") + living(f"TMPDIR={tmp_path}/tmp") == []
    assert list((tmp_path / "tmp").iterdir()) == []
    assert (project.files(), project.shown("for-each-ref"), state.writes()) == (before, head, [])


@SIGNALS
def test_while_github_is_silent(tmp_path: Path, how: signal.Signals) -> None:
    mark, end = tmp_path / "asked", threading.Event()

    class Silent(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            self.request.recv(10)
            mark.touch()
            end.wait()

    (tmp_path / "report.md").write_text("# A day\n")
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Silent) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        command = [sys.executable, "-m", "syncbot", "publish", "report", tmp_path / "report.md"]
        url = f"http://127.0.0.1:{server.server_address[1]}"
        ended = interrupted(command, how, mark, environment(tmp_path, url))
        end.set()
        server.shutdown()
    assert ended == Ended(130, "", "syncbot: interrupted\n")
    assert living(f"TMPDIR={tmp_path}/tmp") == []
    assert list((tmp_path / "tmp").iterdir()) == []
