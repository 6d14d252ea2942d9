from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from syncbot.contracts.source_files import read_backend
from syncbot.impact.model import Impact
from syncbot.typecheck.checked_range import run
from syncbot.typecheck.model import TypecheckResult
from syncbot.upstream.commit_range import Span
from syncbot.upstream.git_repository import GitRepository
from tests.commits import GIT, head

BASE = {
    "up/__init__.py": "",
    "up/config.py": """
from dataclasses import dataclass


@dataclass
class Config:
    size: int = 1
    eager: bool = False
""",
    "up/tools/__init__.py": "",
    "up/tools/text.py": """
def clean(text: str, strict: bool = False) -> str:
    return text


def split(text: str) -> tuple[str, str]:
    return text, text


LIMIT = 3
""",
    "up/worker.py": """
from abc import ABC, abstractmethod

from third_party import Module

from up.config import Config


class Worker(ABC):
    def __init__(self, config: Config):
        self.config = config
        self.block_size = config.size

    @abstractmethod
    def start(self) -> None: ...

    def execute(self, batch: list[int]) -> int:
        return len(batch)


class Layer(Module):
    def reshape(self, x):
        return x


def main(worker: Worker) -> None:
    worker.start()
    worker.execute([1])
""",
}


@dataclass
class Upstream:
    """A small upstream; each step of ``history`` is one commit that replaces text in some files."""

    path: Path
    backend: Path
    cache: Path
    shas: list[str] = field(default_factory=list)
    files: dict[str, str] = field(default_factory=lambda: dict(BASE))

    def git(self, *args: str) -> str:
        who = {
            f"GIT_{r}_{w}": v for r in ("AUTHOR", "COMMITTER") for w, v in (("NAME", "A"), ("EMAIL", "a@b.c"))
        }
        quiet = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        base = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
        done = subprocess.run(
            [*GIT, "-C", self.path, *args],
            check=True,
            capture_output=True,
            text=True,
            env=base | who | quiet,
        )
        return done.stdout.strip()

    def commit(self, message: str) -> str:
        wanted = {self.path / path: text for path, text in self.files.items()}
        for path in self.path.rglob("*.py"):
            if path not in wanted:
                path.unlink()
        for path, text in wanted.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "-m", message)
        self.shas.append(head(self.path))
        return self.shas[-1]

    def change(self, path: str, old: str, new: str) -> str:
        assert old in self.files[path], (path, old)
        self.files[path] = self.files[path].replace(old, new)
        return self.commit(f"Change {path}")

    def noise(self, count: int = 1) -> None:
        for _ in range(count):
            self.files["up/noise.py"] = f"N = {len(self.shas)}\n"
            self.commit("Add noise")

    def write_backend(self, files: Mapping[str, str]) -> None:
        for path, text in files.items():
            target = self.backend / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text)

    def check(self, engines: tuple[str, ...] | None = None) -> TypecheckResult:
        with GitRepository(self.path / ".git") as repository:
            commits = tuple(repository.commits(self.shas[0], self.shas[-1]))
            span = Span(self.shas[0], self.shas[-1], commits)
            own = read_backend(self.backend, ("plugin",), ("tests",))
            return run(own, repository, span, self.cache, engines=engines)

    def impacts(self, source: str) -> list[Impact]:
        """The impacts on a backend of one module."""
        self.write_backend({"plugin/__init__.py": "", "plugin/main.py": source})
        result = self.check()
        assert result.unfinished == ()
        assert result.unattributed == ()
        return list(result.impacts)


@pytest.fixture
def upstream(tmp_path: Path) -> Upstream:
    made = Upstream(tmp_path / "up.git", tmp_path / "backend", tmp_path / "cache")
    made.path.mkdir()
    made.git("init", "--quiet", "--initial-branch=main")
    made.commit("Begin")
    return made
