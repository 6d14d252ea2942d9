from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import syncbot.cli
from syncbot.publish.api import GitHub
from syncbot.publish.retry import Patience
from syncbot.publish.token import Token

from .github_server import TOKEN, State, serving
from .project import Project, make


@pytest.fixture(autouse=True)
def elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of a workflow that these tests may run in."""
    for name in list(os.environ):
        if name.startswith(("GITHUB_", "GH_", "ACTIONS_")):
            monkeypatch.delenv(name)


@pytest.fixture
def state() -> Iterator[State]:
    with serving(State()) as running:
        yield running


@pytest.fixture
def told() -> list[str]:
    return []


@pytest.fixture
def api(state: State, told: list[str]) -> GitHub:
    patience = Patience(tell=told.append, backoff_factor=0.01, secondary_rate_wait=0.01)
    return GitHub(Token(TOKEN), state.url, patience, pause=0)


@pytest.fixture
def run(state: State, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """``syncbot publish …`` as in a workflow of the repository."""
    monkeypatch.setenv("GITHUB_TOKEN", TOKEN)
    monkeypatch.setenv("GITHUB_API_URL", state.url)
    monkeypatch.setenv("GITHUB_REPOSITORY", state.name)
    return lambda *args, **others: CliRunner().invoke(syncbot.cli.main, ["publish", *args], **others)


@pytest.fixture
def project(tmp_path: Path, state: State, monkeypatch: pytest.MonkeyPatch) -> Project:
    """``syncbot apply`` has run, nothing is committed, and GitHub shows the remote."""
    monkeypatch.setenv("SYNCBOT_CACHE", str(tmp_path / "cache"))
    for role in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{role}_NAME", "Robot")
        monkeypatch.setenv(f"GIT_{role}_EMAIL", "robot@example.org")
    made = make(tmp_path)
    made.apply()
    monkeypatch.chdir(made.plugin)
    state.repository = made.remote
    return made
