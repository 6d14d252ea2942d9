"""A second process that makes the tables that a range changes, then looks for contracts from the other end.
Tables depend on a blob alone and are kept in SQLite: it does not matter who makes one."""

from __future__ import annotations

import gc
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import msgspec

from syncbot.impact.accelerator import Range
from syncbot.impact.caching.parallel_discovery import Inputs, ParallelDiscovery, find_contracts
from syncbot.impact.caching.table_caches import caches_by_kind, make, python_blobs, touched_by
from syncbot.impact.caching.worker_process import WorkerProcess
from syncbot.impact.caching.workplace import Workplace
from syncbot.impact.facts.span import of_interest
from syncbot.impact.word_caches import WordCaches
from syncbot.interruption import end_with_parent
from syncbot.limits import Limits
from syncbot.upstream.git_command import Access
from syncbot.upstream.git_repository import GitRepository

# So many missing tables are worth a process.
_WORTH = 200
# -P keeps modules of the folder that syncbot is run in, such as a backend's, from being imported.
COMMAND = (sys.executable, "-P", "-m", "syncbot.impact.caching.prefetch_worker")
_IMPORT = re.compile(rb"^[ \t]*(?:from|import)[ \t]+([A-Za-z_][\w.]*)", re.MULTILINE)


class Request(msgspec.Struct):
    """The work for the process: blob ids by kind of table, and the inputs for finding contracts."""

    repository: str
    access: str
    folder: str
    inputs: Inputs
    blobs: dict[str, list[str]]
    limits: Limits = Limits()


class Prefetching:
    """Another process that makes a range's tables, then finds contracts with its old end as ``discovery``."""

    def __init__(self, place: Workplace, span: Range) -> None:
        request = work(place, span)
        self._process = WorkerProcess(COMMAND)
        self._process.tell(msgspec.json.encode(request))
        self.discovery = ParallelDiscovery(span.tree(span.old), self._process)
        if sum(map(len, request.blobs.values())) >= _WORTH:
            self._process.start()

    def close(self) -> None:
        """End the process, wherever it is."""
        self.discovery.close()


def fill(request: Request, asked: IO[bytes], told: IO[bytes]) -> None:
    """Make the tables that are asked for, and then find the contracts that are."""
    gc.disable()
    caches = caches_by_kind(Path(request.folder), limits=request.limits)
    with GitRepository(Path(request.repository), Access(request.access), request.limits) as repository:
        make(repository, caches, request.blobs)
        tables = (caches["modules"], caches["usages"])
        # Only read: what it learns of words, the first process learns as well.
        words = WordCaches.kept(
            Path(request.folder), request.limits, request.inputs.knowledge, request.repository
        )
        find_contracts(request.inputs, repository, tables, words, (asked, told))
    for cache in caches.values():
        cache.close()


def work(place: Workplace, span: Range) -> Request:
    """Return the work for another process."""
    before, after = span.tree(span.old).modules, span.tree(span.new).modules
    sides = [
        entry
        for module in before.keys() | after.keys()
        if before.get(module) != after.get(module)
        for entry in (before.get(module), after.get(module))
        if entry is not None
    ]
    wanted = _wanted(span, python_blobs(sides))
    imported = [before[name][1] for name in _imported(place) if name in before]
    caches = caches_by_kind(place.tables_folder, limits=place.repository.limits)
    missing = {kind: caches[kind].missing(dict.fromkeys(blobs)) for kind, blobs in wanted.items()}
    read = caches["modules"].missing(dict.fromkeys(imported))
    for cache in caches.values():
        cache.close()
    repository, backend = place.repository, place.backend
    repository.prefetch([*read, *(blob for blobs in missing.values() for blob in blobs)])
    files = [(f.path, f.module, f.blob, f.is_test) for f in backend.files]
    inputs = Inputs(span.old, place.packages, place.knowledge, str(backend.root.absolute()), files)
    return Request(
        *(str(repository.git_dir), repository.access.value, str(place.tables_folder), inputs, missing),
        repository.limits,
    )


def _wanted(span: Range, changed: list[str]) -> dict[str, list[str]]:
    """By kind the blobs whose tables a range with these ``changed`` ones needs."""
    told = of_interest(span.commits)
    commits = [commit for commit in span.commits[::-1] if commit.sha in told]
    facts = list(dict.fromkeys(blob for commit in commits for blob in touched_by(commit)))
    # A release is guilty of something nearly always, and what it changes is parsed here anyway.
    releases = {blob for commit in span.commits if commit.sha not in told for blob in touched_by(commit)}
    declared = list(dict.fromkeys([*facts, *(blob for blob in changed if blob in releases)]))
    return {"modules": [*changed, *facts], "usages": changed, "names": changed, "declared": declared}


def _imported(place: Workplace) -> Iterator[str]:
    """Upstream names that the backend's files import, those of its last file first."""
    for file in reversed(place.backend.files):
        for name in _IMPORT.findall(file.text):
            if name.partition(b".")[0].decode() in place.packages:
                yield name.decode()


if __name__ == "__main__":
    end_with_parent()
    fill(msgspec.json.decode(sys.stdin.buffer.readline(), type=Request), sys.stdin.buffer, sys.stdout.buffer)
