"""The token is seen by the server alone: not in output, logs, tracebacks, git's configuration, processes."""

from __future__ import annotations

import base64
import logging
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import Result

from syncbot.errors import UsageError
from syncbot.publish.token import Token, token_of

from .git_server import GitServer
from .git_server import serving as serving_git
from .github_server import TOKEN, Fault, State
from .project import Project

pytestmark = pytest.mark.long

Run = Callable[..., Result]
FORMS = (TOKEN, base64.b64encode(f"x-access-token:{TOKEN}".encode()).decode(), TOKEN[4:])


@pytest.fixture
def remote(project: Project) -> Iterator[GitServer]:
    project.git(project.remote, "config", "http.receivepack", "true")
    with serving_git(project.root, TOKEN) as server:
        project.git(project.plugin, "remote", "set-url", "origin", f"{server.url}/remote.git")
        yield server


@pytest.fixture
def witness(tmp_path: Path) -> tuple[Path, Path]:
    """A folder for PATH with a git that writes down how it is called, and where it does."""
    folder, log = tmp_path / "bin", tmp_path / "calls"
    folder.mkdir()
    real = shutil.which("git")
    script = f'#!/bin/sh\nprintf "%s\\n" "$0 $*" >> {log}\nexec {real} "$@"\n'
    (folder / "git").write_text(script, encoding="utf-8")
    (folder / "git").chmod(0o755)
    return folder, log


def process(state: State, *args: str, path: str = "", **others: str) -> subprocess.CompletedProcess[str]:
    """A process of its own, so that all that it prints and logs is seen."""
    environment = os.environ | {
        "GITHUB_TOKEN": TOKEN, "GITHUB_API_URL": state.url, "GITHUB_REPOSITORY": state.name,
        "PATH": f"{path}:{os.environ['PATH']}", **others,
    }  # fmt: skip
    verbose = (
        "import logging, sys; logging.basicConfig(level=logging.DEBUG);"
        "import github; github.enable_console_debug_logging();"
        "import syncbot.cli; syncbot.cli.main(sys.argv[1:])"
    )
    line = [sys.executable, "-c", verbose, "publish", *args]
    return subprocess.run(line, env=environment, capture_output=True, text=True, check=False)


def leaks(*texts: str) -> list[str]:
    return [form for form in FORMS for text in texts if form in text]


def files(folder: Path) -> Iterator[str]:
    for file in folder.rglob("*"):
        if file.is_file():
            yield file.read_bytes().decode("latin-1")


def test_a_push_over_http(
    state: State, project: Project, remote: GitServer, witness: tuple[Path, Path], tmp_path: Path
) -> None:
    # What actions/checkout leaves behind, and a helper that would keep what it is given.
    helper = tmp_path / "kept"
    project.git(project.plugin, "config", "credential.helper", f"store --file={helper}")
    other = base64.b64encode(b"x-access-token:other").decode()
    project.git(project.plugin, "config", f"http.{remote.url}/.extraheader", f"AUTHORIZATION: basic {other}")
    before = project.files()
    done = process(state, "pr", path=str(witness[0]), GIT_TRACE="1", GIT_TRACE_CURL="1", GIT_CURL_VERBOSE="1")
    assert done.returncode == 0, done.stderr
    assert "pull request opened" in done.stdout
    assert project.files() == before
    assert state.heads[1]["sha"] == project.pushed()
    assert remote.seen
    assert all(given == [f"Basic {FORMS[1]}"] for given in remote.seen)
    calls = witness[1].read_text(encoding="utf-8")
    assert " push " in calls
    assert not helper.exists()
    assert leaks(done.stdout, done.stderr, calls, *files(project.plugin), *files(project.remote)) == []
    assert "oauth token removed" in done.stderr, "logging was not on"


def test_a_remote_elsewhere_is_not_given_the_token(state: State, project: Project, remote: GitServer) -> None:
    # The same server by another name than the API's.
    url = remote.url.replace("127.0.0.1", "localhost")
    project.git(project.plugin, "remote", "set-url", "origin", f"{url}/remote.git")
    done = process(state, "pr")
    assert done.returncode == 3
    assert "failed" in done.stderr.splitlines()[-1]
    assert remote.seen
    assert all(not given for given in remote.seen)
    assert leaks(done.stdout, done.stderr) == []


def test_a_remote_with_a_password_in_its_url(state: State, project: Project, remote: GitServer) -> None:
    url = remote.url.replace("http://", "http://me:0therS3cr3t@")
    project.git(project.plugin, "remote", "set-url", "origin", f"{url}/nowhere.git")
    done = process(state, "pr")
    assert done.returncode == 3
    assert leaks(done.stdout, done.stderr) == []
    assert "0therS3cr3t" not in done.stdout + done.stderr


@pytest.mark.parametrize(
    "fault",
    [
        Fault("POST", "/issues$", 403, message=f"Not for {TOKEN}"),
        Fault("POST", "/issues$", 422, message=f"body has {FORMS[1]}"),
        Fault("GET", "/issues$", 404),
        Fault("POST", "/labels$", 301, {"Location": f"http://evil.example/{TOKEN}"}),
    ],
    ids=lambda fault: str(fault.status),
)
def test_refusals(state: State, run: Run, tmp_path: Path, fault: Fault) -> None:
    state.faults.append(fault)
    done = run("report", "-", input="# Report\n")
    assert done.exit_code == 3
    assert done.stderr.startswith("syncbot: GitHub ")
    assert done.stderr.count("\n") == 1
    assert leaks(done.output) == []


def test_wrong_tokens(state: State, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = "ghp_wr0ng"
    monkeypatch.setenv("GITHUB_TOKEN", wrong)
    done = run("report", "-", input="# Report\n")
    assert done.exit_code == 3
    assert "401 Bad credentials; set GITHUB_TOKEN to a valid token" in done.stderr
    assert wrong not in done.output
    monkeypatch.setenv("GITHUB_TOKEN", f"{TOKEN}\n{TOKEN}")
    done = run("report", "-", input="# Report\n")
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
    assert "GITHUB_TOKEN holds no token" in done.stderr
    assert leaks(done.output) == []
    monkeypatch.setenv("GITHUB_TOKEN", "")
    done = run("report", "-", input="# Report\n")
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
    assert "no token: set GITHUB_TOKEN or GH_TOKEN" in done.stderr
    monkeypatch.setenv("GH_TOKEN", f" {TOKEN}\n")
    assert run("report", "-", input="# Report\n").exit_code == 0


def test_the_token_hides_itself(caplog: pytest.LogCaptureFixture) -> None:
    token = Token(TOKEN)
    with caplog.at_level(logging.DEBUG):
        logging.getLogger("x").debug("%r %s", token, [token])
    assert leaks(repr(token), str(token), f"{token}", caplog.text) == []
    assert token.hidden(f"a {TOKEN} b {FORMS[1]}") == "a *** b ***"


def test_where_it_comes_from() -> None:
    assert token_of({"GITHUB_TOKEN": "a", "GH_TOKEN": "b"}).secret == "a"
    assert token_of({"GITHUB_TOKEN": "", "GH_TOKEN": "b"}).secret == "b"
    with pytest.raises(UsageError, match="no token"):
        token_of({"OTHER": "x"})
