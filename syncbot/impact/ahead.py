"""A second process that fills the caches of symbol tables while the first one analyses.

Tables depend on a blob alone and are kept in SQLite, which several processes may use at once: whoever
needs one first makes it, and nothing else depends on which process that was. It is worth the while where
many tables are missing, on machines with more than one processor.
"""

from __future__ import annotations

import gc
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import msgspec

from syncbot.api import extract, model, signatures, usage
from syncbot.api.cache import TableCache, source_digest
from syncbot.impact.facts.span import DETAILED, declared_cache
from syncbot.impact.importance import Kind, kind_of
from syncbot.impact.trees import Trees
from syncbot.upstream.command import Access
from syncbot.upstream.git import GitRepository
from syncbot.upstream.model import Commit
from syncbot.upstream.span import Span

# So many missing tables are worth a process.
_WORTH = 200
# So many are written at once.
_BATCH = 25
# -P keeps modules of the folder that syncbot is run in, such as a backend's, from being imported.
COMMAND = (sys.executable, "-P", "-m", "syncbot.impact.ahead")
_IMPORT = re.compile(rb"^[ \t]*(?:from|import)[ \t]+([A-Za-z_][\w.]*)", re.MULTILINE)


class Request(msgspec.Struct):
    """What the process is to do: blob ids by kind of table, and the backend's files by blob id."""

    repository: str
    access: str
    folder: str
    blobs: dict[str, list[str]]
    files: dict[str, str]


def table_caches(folder: Path) -> tuple[TableCache[model.ModuleTable], TableCache[model.UsageTable]]:
    """The caches of symbol tables and of usage tables in a folder."""
    version = source_digest(extract, model, signatures, usage)
    return (
        TableCache(folder, "modules", version, extract.extract, model.ModuleTable),
        TableCache(folder, "usages", version, usage.extract_usage, model.UsageTable),
    )


@contextmanager
def ahead(trees: Trees, span: Span, folder: Path) -> Iterator[None]:
    """Within this context another process makes the tables of what the span changes, and of the backend.

    ``folder`` is that of the caches. Whatever goes wrong there is left to this process.
    """
    request = work(trees, span, folder) if _processors() > 1 else None
    if request is None:
        yield
        return
    process = subprocess.Popen(
        COMMAND, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    assert process.stdin is not None
    try:
        with suppress(OSError):
            process.stdin.write(msgspec.json.encode(request))
            process.stdin.close()
        yield
    finally:
        process.kill()
        process.wait()


def fill(request: Request) -> None:
    """Make the tables that are asked for, those of the backend from its last file on: the other process
    begins with its first."""
    gc.disable()
    folder = Path(request.folder)
    caches = _caches(folder)
    with GitRepository(Path(request.repository), Access(request.access)) as repository:
        for blob, path in reversed(request.files.items()):
            caches["modules"].get(blob, {blob: Path(path).read_bytes()}.__getitem__)
            caches["modules"].flush(_BATCH)
        for kind, blobs in request.blobs.items():
            cache = caches[kind]
            for blob in blobs:
                cache.get(blob, repository.blob)
                cache.flush(_BATCH)
    for cache in caches.values():
        cache.close()


def _caches(folder: Path) -> dict[str, TableCache[Any]]:
    modules, usages = table_caches(folder)
    return {"modules": modules, "usages": usages, "declared": declared_cache(folder)}


def _processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def work(trees: Trees, span: Span, folder: Path) -> Request | None:
    """The work for another process; None where there is too little for one."""
    before, after = trees.tree(span.old).modules, trees.tree(span.new).modules
    sides = [
        entry
        for module in before.keys() | after.keys()
        if before.get(module) != after.get(module)
        for entry in (before.get(module), after.get(module))
        if entry is not None
    ]
    changed = _python(sides)
    commits = span.commits if len(span.commits) <= DETAILED else ()
    facts = _python((path, blob) for commit in commits for path, blob in _touched(commit))
    imported = [before[name][1] for name in _imported(trees) if name in before]
    wanted = {"modules": [*imported, *changed, *facts], "usages": changed, "declared": facts}
    caches = _caches(folder)
    missing = {kind: caches[kind].missing(dict.fromkeys(blobs)) for kind, blobs in wanted.items()}
    own = set(caches["modules"].missing(f.blob for f in trees.backend.files))
    for cache in caches.values():
        cache.close()
    files = {f.blob: str(trees.backend.root / f.path) for f in trees.backend.files if f.blob in own}
    if sum(map(len, missing.values())) + len(files) < _WORTH:
        return None
    trees.repository.prefetch(blob for blobs in missing.values() for blob in blobs)
    repository = trees.repository
    return Request(str(repository.git_dir), repository.access.value, str(folder), missing, files)


def _imported(trees: Trees) -> Iterator[str]:
    """Upstream names that the backend's files import, those of its last file first."""
    for file in reversed(trees.backend.files):
        for name in _IMPORT.findall(file.text):
            if name.partition(b".")[0].decode() in trees.packages:
                yield name.decode()


def _touched(commit: Commit) -> Iterator[tuple[str, str]]:
    """The blobs before and after of a commit's files, each with its path."""
    for change in commit.files:
        for path, blob in ((change.old_path, change.old_blob), (change.new_path, change.new_blob)):
            if path and blob and kind_of(path) is Kind.CODE:
                yield path, blob


def _python(entries: Iterable[tuple[str, str]]) -> list[str]:
    return list(dict.fromkeys(blob for path, blob in entries if path.endswith((".py", ".pyi"))))


if __name__ == "__main__":
    fill(msgspec.json.decode(sys.stdin.buffer.read(), type=Request))
