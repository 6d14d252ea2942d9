from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.commits import GIT

START = 1_769_097_600  # 2026-01-23 00:00:00 in Shanghai


@dataclass
class Repo:
    """A git repository that a test makes with git itself; each commit is an hour after the last."""

    path: Path
    clock: int = START

    def git(self, *args: str | Path | bytes, input: bytes | None = None, **extra: str) -> str:
        identity = {
            f"GIT_{role}_{what}": value
            for role in ("AUTHOR", "COMMITTER")
            for what, value in (
                ("NAME", "Ada Lovelace"),
                ("EMAIL", "ada@example.com"),
                ("DATE", f"{self.clock} +0800"),
            )
        }
        base = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
        quiet = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        done = subprocess.run(
            [*GIT, "-C", self.path, "-c", "protocol.file.allow=always", *args],
            input=input,
            capture_output=True,
            check=True,
            env=base | identity | quiet | extra,
        )
        return done.stdout.decode("utf-8", "surrogateescape").strip("\n")

    def write(self, path: str | bytes, content: str | bytes) -> None:
        target = os.path.join(os.fsencode(self.path), os.fsencode(path))
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(target, "wb") as stream:
            stream.write(content.encode() if isinstance(content, str) else content)

    def commit(self, message: str = "Change something", **extra: str) -> str:
        self.clock += 3600
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--allow-empty-message", "-m", message, **extra)
        return self.git("rev-parse", "HEAD")

    def merge(self, *branches: str, message: str = "Merge") -> str:
        self.clock += 3600
        self.git("merge", "--quiet", "--no-ff", "-m", message, *branches)
        return self.git("rev-parse", "HEAD")


@pytest.fixture
def make_repo(tmp_path: Path) -> Callable[..., Repo]:
    def make(name: str = "repo", options: Sequence[str] = ()) -> Repo:
        path = tmp_path / name
        path.mkdir()
        repo = Repo(path)
        repo.git("init", "--quiet", "--initial-branch=main", *options)
        return repo

    return make


@pytest.fixture
def repo(make_repo: Callable[..., Repo]) -> Repo:
    return make_repo()
