"""Finds a checker's diagnostics of the backend against one upstream commit, and the new ones among them."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec

from syncbot.api.cache import package_digest
from syncbot.contracts.sources import Backend
from syncbot.errors import EnvironmentFailure
from syncbot.sealed_values import keep, recall
from syncbot.typecheck.checker_process import PYTHON, site_packages
from syncbot.typecheck.model import Diagnostic, Engine, EngineFailed, Job
from syncbot.typecheck.workspace import Layout, backend_roots, copy_of, tree_folder
from syncbot.upstream.checkout import digest, python_files
from syncbot.upstream.git_repository import GitRepository

_FORMAT = "3"
_LITERAL = re.compile(r"Literal\[[^\[\]]*\]")
# What follows only repeats the message, with text cut to fit a terminal, or says where was searched.
_TAIL = re.compile(r"\n\s*(?:Looked in these locations|Did you mean|Signature mismatch:).*", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Task:
    """One run: an engine, an upstream commit, and the backend's files to check (all where None)."""

    engine: Engine
    commit: str
    files: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Checker:
    """Runs engines on a backend against commits of an upstream; every result is kept in the cache."""

    backend: Backend
    repository: GitRepository
    layout: Layout
    cache: Path
    environment: Path | None = None

    def run(self, tasks: Sequence[Task]) -> list[frozenset[Diagnostic]]:
        """The diagnostics of each task, two at a time if there is room, which decides nothing else. Raises
        EngineFailed for the first that its engine cannot finish, EnvironmentFailure."""
        need = max((task.engine.memory for task in tasks), default=0) if self.environment else 300
        workers = 2 if (os.cpu_count() or 1) > 1 and _available_megabytes() > 2.5 * need else 1
        with ThreadPoolExecutor(workers) as pool:
            return list(pool.map(self.diagnostics, tasks))

    def diagnostics(self, task: Task) -> frozenset[Diagnostic]:
        """The diagnostics of one task, with what differs between runs and machines taken out of them."""
        files = python_files(self.repository, task.commit, self.layout.prefixes)
        known = self.cache / "results" / f"{self._key(task, digest(files))}.json"
        kept = recall(self.cache.parent, known)
        if kept is not None:
            return frozenset(msgspec.json.decode(kept, type=list[Diagnostic]))
        copy = self._copy
        folder = tree_folder(self.repository, self.layout.prefixes, self.cache)
        with folder as tree, TemporaryDirectory(prefix="syncbot-") as temporary:
            tree.switch(task.commit, files)
            own = [copy / root for root in backend_roots(self.backend)]
            theirs = [tree.folder / root for root in self.layout.roots]
            names = task.files if task.files is not None else tuple(f.path for f in self.backend.files)
            job = Job(copy, names, tuple(own + theirs), self.environment, Path(temporary))
            try:
                found = task.engine.diagnostics(job)
            except EnvironmentFailure as error:
                raise EngineFailed(task.engine.name, _settle(str(error), (Path(temporary),))) from error
            settled = frozenset(replace(d, message=_settle(d.message, (tree.folder, copy))) for d in found)
        keep(self.cache.parent, known, msgspec.json.encode(sorted(settled)))
        return settled

    @cached_property
    def _copy(self) -> Path:
        return copy_of(self.backend, self.cache)

    @cached_property
    def _base_key(self) -> str:
        installed: list[str] = []
        if self.environment is not None:
            for folder in site_packages(self.environment):
                installed += [str(folder), *sorted(p.name for p in folder.glob("*.dist-info"))]
        code = package_digest("typecheck/checkers/*.py", "typecheck/checkers/*.yaml")
        parts = [_FORMAT, code, PYTHON, self.backend.digest, *self.layout.roots, *installed]
        return "\0".join(parts)

    def _key(self, task: Task, upstream: str) -> str:
        parts = [
            self._base_key,
            task.engine.name,
            task.engine.version() or "",
            upstream,
            *(task.files or ("*",)),
        ]
        return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()


def new(old: Iterable[Diagnostic], current: Iterable[Diagnostic]) -> frozenset[Diagnostic]:
    """The diagnostics that only ``current`` has; by message too: an override may fit worse than before."""
    return frozenset(current) - frozenset(old)


def _settle(message: str, folders: Sequence[Path]) -> str:
    for folder in folders:
        message = message.replace(str(folder), "")
    # A longer list of accepted literals is no change of the contract.
    return _LITERAL.sub("Literal[…]", _TAIL.sub("", message))


def _available_megabytes() -> int:
    try:
        text = Path("/proc/meminfo").read_text()
    except OSError:
        return 1 << 20
    found = re.search(r"^MemAvailable:\s+(\d+) kB", text, re.MULTILINE)
    return int(found[1]) // 1024 if found else 1 << 20
