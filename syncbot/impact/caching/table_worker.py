"""A second process that makes the tables which the search for guilty commits is about to ask for.

As in ``prefetch_worker``, tables depend on a blob alone and are kept in SQLite: whoever needs
one first makes it, and nothing else depends on which process that was.
"""

from __future__ import annotations

import gc
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import SimpleQueue
from typing import IO, Any

import msgspec

from syncbot.api.cache import TableCache
from syncbot.api.module_declarations import DeclaredTable
from syncbot.impact.caching.prefetch_worker import processors
from syncbot.impact.caching.table_caches import caches_by_kind, declared_cache, make, touched_by
from syncbot.impact.trees import Trees
from syncbot.upstream.git_command import Access
from syncbot.upstream.git_repository import GitRepository
from syncbot.upstream.model import Commit

# So many missing tables are worth a process.
_WORTH = 200
# So many of a kind stay in memory.
_FEW = 50
_FINDINGS, _FACTS = ("modules", "usages"), ("modules", "declared")
# -P keeps modules of the folder that syncbot is run in, such as a backend's, from being imported.
COMMAND = (sys.executable, "-P", "-m", "syncbot.impact.caching.table_worker")


class Source(msgspec.Struct):
    """Where blobs are read, and the folder of the caches."""

    repository: str
    access: str
    folder: str


class Wanted(msgspec.Struct):
    """Blobs, and the kinds of tables that will be asked for of each."""

    kinds: tuple[str, ...]
    blobs: list[str]


@contextmanager
def making(trees: Trees, folder: Path) -> Iterator[None]:
    """Within this context the trees' foresight is another process that makes tables.

    ``folder`` is that of the caches. Whatever goes wrong there is left to this process. A partial clone is
    left alone: each blob would be fetched by itself.
    """
    if processors() < 2 or trees.repository.is_partial:
        yield
        return
    declared = declared_cache(folder)
    trees.foresight = maker = _Maker(trees, folder, declared)
    try:
        yield
    finally:
        trees.foresight = None
        maker.end()
        declared.close()


class _Maker:
    """Collects what is wanted, and hands it to a process once that is worth the while."""

    def __init__(self, trees: Trees, folder: Path, declared: TableCache[DeclaredTable]) -> None:
        repository = trees.repository
        self._source = Source(str(repository.git_dir), repository.access.value, str(folder))
        self._caches: dict[str, TableCache[Any]] = {
            "modules": trees.tables, "usages": trees.usages, "declared": declared,
        }  # fmt: skip
        self._seen: dict[tuple[str, ...], set[str]] = {_FINDINGS: set(), _FACTS: set()}
        self._count = 0
        self._lines: SimpleQueue[bytes | None] = SimpleQueue()
        self._lines.put(msgspec.json.encode(self._source))
        self._process: subprocess.Popen[bytes] | None = None
        self._writer = threading.Thread(target=self._write, daemon=True)

    def tables(self, blobs: Iterable[str]) -> None:
        """See :class:`syncbot.impact.trees.Foresight`."""
        self._want(_FINDINGS, blobs)

    def facts(self, commit: Commit) -> None:
        """See :class:`syncbot.impact.trees.Foresight`."""
        self._want(_FACTS, touched_by(commit))

    def _want(self, kinds: tuple[str, ...], blobs: Iterable[str]) -> None:
        seen = self._seen[kinds]
        new = [blob for blob in dict.fromkeys(blobs) if blob not in seen]
        seen.update(new)
        missing = {blob for kind in kinds for blob in self._caches[kind].missing(new)}
        if not missing:
            return
        self._lines.put(msgspec.json.encode(Wanted(kinds, [blob for blob in new if blob in missing])))
        self._count += len(missing)
        if self._process is None and self._count >= _WORTH:
            with suppress(OSError):
                self._process = subprocess.Popen(
                    COMMAND, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
                )
                self._writer.start()

    def end(self) -> None:
        """End the process, wherever it is."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._lines.put(None)
            self._writer.join()

    def _write(self) -> None:
        """Write line by line: more may wait than a pipe holds."""
        pipe = self._process.stdin if self._process is not None else None
        if pipe is not None:
            with suppress(OSError), pipe:
                while (line := self._lines.get()) is not None:
                    pipe.write(line + b"\n")
                    pipe.flush()


def serve(lines: IO[bytes]) -> None:
    """Make the tables that the lines ask for, in their order."""
    gc.disable()
    source = msgspec.json.decode(lines.readline(), type=Source)
    caches = caches_by_kind(Path(source.folder), _FEW)
    decode = msgspec.json.Decoder(Wanted).decode
    with GitRepository(Path(source.repository), Access(source.access)) as repository:
        for line in iter(lines.readline, b""):
            wanted = decode(line)
            # Meanwhile the other process may have made some.
            make(repository, caches, {kind: caches[kind].missing(wanted.blobs) for kind in wanted.kinds})
    for cache in caches.values():
        cache.close()


if __name__ == "__main__":
    serve(sys.stdin.buffer)
