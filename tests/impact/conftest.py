"""An upstream package ``engine`` in a real repository, and a backend made of texts that follows it."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from syncbot.api.cache import TableCache
from syncbot.api.extract import extract
from syncbot.api.model import ModuleTable, UsageTable
from syncbot.api.usage import extract_usage
from syncbot.contracts.sources import Backend, SourceFile, module_name
from syncbot.impact.trees import Trees
from syncbot.upstream.git_repository import GitRepository
from tests.commits import GIT, head


@dataclass
class Engine:
    """The upstream; ``files`` are what the next commit holds."""

    path: Path
    files: dict[str, str] = field(default_factory=lambda: {"engine/__init__.py": ""})
    shas: list[str] = field(default_factory=list)

    def git(self, *args: str) -> str:
        who = {
            f"GIT_{r}_{w}": v for r in ("AUTHOR", "COMMITTER") for w, v in (("NAME", "A"), ("EMAIL", "a@b.c"))
        }
        quiet = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
        base = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
        return subprocess.run(
            [*GIT, "-C", self.path, *args], check=True, capture_output=True, text=True,
            env=base | who | quiet,
        ).stdout.strip()  # fmt: skip

    def commit(self, changes: Mapping[str, str | None], message: str = "Change") -> str:
        """Commit ``files`` with some of them replaced, or dropped where the text is None."""
        for path, text in changes.items():
            if text is None:
                del self.files[path]
            else:
                self.files[path] = text
        for path_ in self.path.rglob("*.py"):
            path_.unlink()
        for path, text in self.files.items():
            target = self.path / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "-m", message)
        self.shas.append(head(self.path))
        return self.shas[-1]

    def noise(self) -> str:
        """A commit that no backend looks at."""
        return self.commit({"engine/noise.py": f"N = {len(self.shas)}\n"})


def begun(path: Path) -> Engine:
    """An upstream without a commit, in a folder that is made."""
    path.mkdir()
    made = Engine(path)
    # Without the hooks that git has as samples.
    made.git("init", "--quiet", "--initial-branch=main", "--template=")
    return made


@pytest.fixture
def engine(tmp_path: Path) -> Engine:
    return begun(tmp_path / "engine")


TreesOf = Callable[..., Trees]


@pytest.fixture
def trees_of(engine: Engine) -> Iterator[TreesOf]:
    """Makes the trees of the upstream for a backend: path → text; what is below ``tests/`` is a test."""
    with trees_followed_in(engine) as make:
        yield make


@contextmanager
def trees_followed_in(engine: Engine) -> Iterator[TreesOf]:
    """As ``trees_of``, of another upstream."""
    opened: list[GitRepository] = []
    # A blob's tables are the same for all backends.
    tables = TableCache(None, "modules", "1", extract, ModuleTable)
    usages = TableCache(None, "usages", "1", extract_usage, UsageTable)

    def make(files: Mapping[str, str] | str) -> Trees:
        texts = {"src/plugin/main.py": files} if isinstance(files, str) else files
        sources = tuple(
            SourceFile(path, module_name(path), text.encode(), path.startswith("tests/"))
            for path, text in sorted(texts.items())
        )
        repository = GitRepository(engine.path / ".git")
        opened.append(repository)
        return Trees(repository, ("engine",), Backend(Path(), sources), tables, usages)

    yield make
    for repository in opened:
        repository.close()
