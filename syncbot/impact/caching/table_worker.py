"""A second process that makes the tables which the search for guilty commits will ask for next."""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import IO, Any

import msgspec

from syncbot.api.cache import TableCache
from syncbot.impact.caching.table_caches import caches_by_kind, declared_cache, make, touched_by
from syncbot.impact.caching.worker_process import WorkerProcess
from syncbot.impact.caching.workplace import Workplace
from syncbot.interruption import end_with_parent
from syncbot.limits import Limits
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
    limits: Limits = Limits()


class Wanted(msgspec.Struct):
    """Blobs, and the kinds of tables that will be asked for of each."""

    kinds: tuple[str, ...]
    blobs: list[str]


class TableWorker:
    """Collects what is wanted, and hands it to a process once that is worth the while."""

    def __init__(self, place: Workplace) -> None:
        self._declared = declared_cache(place.tables_folder, place.repository.limits)
        self._caches: dict[str, TableCache[Any]] = {
            "modules": place.tables, "usages": place.usages, "declared": self._declared,
        }  # fmt: skip
        self._seen: dict[tuple[str, ...], set[str]] = {_FINDINGS: set(), _FACTS: set()}
        self._count = 0
        repository = place.repository
        folder = str(place.tables_folder)
        source = Source(str(repository.git_dir), repository.access.value, folder, repository.limits)
        self._process = WorkerProcess(COMMAND)
        self._process.tell(msgspec.json.encode(source))

    def tables(self, blobs: Iterable[str]) -> None:
        """See :meth:`syncbot.impact.accelerator.Accelerator.expect_tables`."""
        self._want(_FINDINGS, blobs)

    def facts(self, commit: Commit) -> None:
        """See :meth:`syncbot.impact.accelerator.Accelerator.expect_facts`."""
        self._want(_FACTS, touched_by(commit))

    def _want(self, kinds: tuple[str, ...], blobs: Iterable[str]) -> None:
        seen = self._seen[kinds]
        new = [blob for blob in dict.fromkeys(blobs) if blob not in seen]
        seen.update(new)
        missing = {blob for kind in kinds for blob in self._caches[kind].missing(new)}
        if missing:
            self._process.tell(msgspec.json.encode(Wanted(kinds, [blob for blob in new if blob in missing])))
            self._count += len(missing)
            if self._count >= _WORTH:
                self._process.start()

    def close(self) -> None:
        """End the process, wherever it is."""
        self._process.end()
        self._declared.close()


def serve(lines: IO[bytes]) -> None:
    """Make the tables that the lines ask for, in their order."""
    gc.disable()
    source = msgspec.json.decode(lines.readline(), type=Source)
    caches = caches_by_kind(Path(source.folder), _FEW, source.limits)
    decode = msgspec.json.Decoder(Wanted).decode
    with GitRepository(Path(source.repository), Access(source.access), source.limits) as repository:
        for line in iter(lines.readline, b""):
            wanted = decode(line)
            # Meanwhile the other process may have made some.
            make(repository, caches, {kind: caches[kind].missing(wanted.blobs) for kind in wanted.kinds})
    for cache in caches.values():
        cache.close()


if __name__ == "__main__":
    end_with_parent()
    serve(sys.stdin.buffer)
