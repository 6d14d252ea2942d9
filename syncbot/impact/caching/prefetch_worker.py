"""A second process that fills the caches of symbol tables while the first one analyses, and then looks for
contracts from the other end (:mod:`syncbot.impact.caching.parallel_discovery`).

Tables depend on a blob alone and are kept in SQLite, which several processes may use at once: whoever
needs one first makes it, and nothing else depends on which process that was. It is worth the while where
many tables or contracts are missing, on machines with more than one processor.
"""

from __future__ import annotations

import gc
import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

import msgspec

from syncbot.impact.caching.parallel_discovery import OtherEnd, World, look_through
from syncbot.impact.caching.table_caches import caches_by_kind, make, python_blobs, touched_by
from syncbot.impact.facts.span import DETAILED
from syncbot.impact.trees import Trees
from syncbot.upstream.commit_range import Span
from syncbot.upstream.git_command import Access
from syncbot.upstream.git_repository import GitRepository

# So many missing tables are worth a process.
_WORTH = 200
# -P keeps modules of the folder that syncbot is run in, such as a backend's, from being imported.
COMMAND = (sys.executable, "-P", "-m", "syncbot.impact.caching.prefetch_worker")
_IMPORT = re.compile(rb"^[ \t]*(?:from|import)[ \t]+([A-Za-z_][\w.]*)", re.MULTILINE)


class Request(msgspec.Struct):
    """What the process is to do: blob ids by kind of table, and the world in which contracts are wanted."""

    repository: str
    access: str
    folder: str
    world: World
    blobs: dict[str, list[str]]


@contextmanager
def ahead(trees: Trees, span: Span, folder: Path) -> Iterator[None]:
    """Within this context another process makes the tables of what the span changes, and finds contracts with
    the old end of the span.

    ``folder`` is that of the caches. Whatever goes wrong there is left to this process.
    """
    if processors() < 2:
        yield
        return
    request = work(trees, span, folder)
    process = _Process(request)
    trees.beside = other = OtherEnd(trees, span.old, process.pipes)
    try:
        if sum(map(len, request.blobs.values())) >= _WORTH:
            process.start()
            other.running = True
        yield
    finally:
        trees.beside = None
        process.end()
        other.close()
        process.close()


class _Process:
    """The other process, once it is started."""

    def __init__(self, request: Request) -> None:
        self._request = request
        self._process: subprocess.Popen[bytes] | None = None
        self._writer = threading.Thread(target=self._write, daemon=True)

    def start(self) -> None:
        """Start it. What it is to do is written beside: it may be more than a pipe holds."""
        self._process = subprocess.Popen(
            COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self._writer.start()

    def pipes(self) -> tuple[IO[bytes], IO[bytes]] | None:
        """Its input, to which something may be written now, and its output."""
        if self._process is None:
            self.start()
        self._writer.join()
        process = self._process
        return (process.stdin, process.stdout) if process and process.stdin and process.stdout else None

    def end(self) -> None:
        """End it, wherever it is."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._writer.join()

    def close(self) -> None:
        """Close the pipes; what was not read any more is dropped."""
        if self._process is not None:
            for pipe in (self._process.stdin, self._process.stdout):
                with suppress(OSError):
                    if pipe is not None:
                        pipe.close()

    def _write(self) -> None:
        with suppress(OSError):
            if self._process is not None and self._process.stdin is not None:
                self._process.stdin.write(msgspec.json.encode(self._request) + b"\n")
                self._process.stdin.flush()


def fill(request: Request, asked: IO[bytes], told: IO[bytes]) -> None:
    """Make the tables that are asked for, and then find the contracts that are."""
    gc.disable()
    caches = caches_by_kind(Path(request.folder))
    with GitRepository(Path(request.repository), Access(request.access)) as repository:
        make(repository, caches, request.blobs)
        look_through(request.world, repository, (caches["modules"], caches["usages"]), (asked, told))
    for cache in caches.values():
        cache.close()


def processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def work(trees: Trees, span: Span, folder: Path) -> Request:
    """What there is to do for another process."""
    before, after = trees.tree(span.old).modules, trees.tree(span.new).modules
    sides = [
        entry
        for module in before.keys() | after.keys()
        if before.get(module) != after.get(module)
        for entry in (before.get(module), after.get(module))
        if entry is not None
    ]
    changed = python_blobs(sides)
    commits = span.commits if len(span.commits) <= DETAILED else ()
    facts = list(dict.fromkeys(blob for commit in commits for blob in touched_by(commit)))
    imported = [before[name][1] for name in _imported(trees) if name in before]
    wanted = {"modules": [*changed, *facts], "usages": changed, "declared": facts}
    caches = caches_by_kind(folder)
    missing = {kind: caches[kind].missing(dict.fromkeys(blobs)) for kind, blobs in wanted.items()}
    read = caches["modules"].missing(dict.fromkeys(imported))
    for cache in caches.values():
        cache.close()
    trees.repository.prefetch([*read, *(blob for blobs in missing.values() for blob in blobs)])
    repository = trees.repository
    world = World.of(trees, span.old)
    return Request(str(repository.git_dir), repository.access.value, str(folder), world, missing)


def _imported(trees: Trees) -> Iterator[str]:
    """Upstream names that the backend's files import, those of its last file first."""
    for file in reversed(trees.backend.files):
        for name in _IMPORT.findall(file.text):
            if name.partition(b".")[0].decode() in trees.packages:
                yield name.decode()


if __name__ == "__main__":
    fill(msgspec.json.decode(sys.stdin.buffer.readline(), type=Request), sys.stdin.buffer, sys.stdout.buffer)
