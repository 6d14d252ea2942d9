"""The tables of blobs that are kept in a folder, by kind, and making many of them at once."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from syncbot.api import bounded_source, extract, model, module_declarations, signatures, usage
from syncbot.api.cache import IN_MEMORY, TableCache, source_digest
from syncbot.impact.changed_files import Kind, kind_of
from syncbot.impact.word_caches import names_cache
from syncbot.limits import Limits
from syncbot.upstream.git_repository import GitRepository
from syncbot.upstream.model import Commit

_DEFAULTS = Limits()
# So many usage tables stay in memory.
_FEW = 100
# So many new tables are written at once.
_BATCH = 25


def table_caches(
    folder: Path, most: int = IN_MEMORY, limits: Limits = _DEFAULTS
) -> tuple[TableCache[model.ModuleTable], TableCache[model.UsageTable]]:
    """The caches of symbol tables, ``most`` of which stay in memory, and of usage tables in a folder."""
    version = source_digest(extract, model, signatures, usage, bounded_source) + limits.key
    made = partial(extract.extract, most=limits.parameters)
    return (
        TableCache(folder, "modules", version, made, model.ModuleTable, most),
        # What is used of these is kept by the usage index.
        TableCache(folder, "usages", version, usage.extract_usage, model.UsageTable, _FEW),
    )


def declared_cache(folder: Path, limits: Limits = _DEFAULTS) -> TableCache[module_declarations.DeclaredTable]:
    """The cache of what modules declare."""
    version = source_digest(module_declarations, extract) + limits.key
    return TableCache(
        folder, "declared", version, module_declarations.extract_declared, module_declarations.DeclaredTable
    )


def caches_by_kind(
    folder: Path, most: int = IN_MEMORY, limits: Limits = _DEFAULTS
) -> dict[str, TableCache[Any]]:
    """All of these caches, each under its kind."""
    modules, usages = table_caches(folder, most, limits)
    return {
        "modules": modules,
        "usages": usages,
        "declared": declared_cache(folder, limits),
        "names": names_cache(folder, limits),
    }


def make(
    repository: GitRepository, caches: Mapping[str, TableCache[Any]], wanted: Mapping[str, Collection[str]]
) -> None:
    """Make the tables of some blobs, given by kind, and write them. Raises EnvironmentFailure."""
    by_kind = {kind: frozenset(blobs) for kind, blobs in wanted.items()}
    # All tables of a blob one after the other: it is read once and parsed once.
    for blob in dict.fromkeys(blob for blobs in wanted.values() for blob in blobs):
        text = bounded_source.bounded(repository.blob(blob), repository.limits)
        for kind, blobs in by_kind.items():
            if blob in blobs:
                caches[kind].get(blob, {blob: text}.__getitem__)
                caches[kind].flush(_BATCH)
    for cache in caches.values():
        cache.flush()


def python_blobs(entries: Iterable[tuple[str, str]]) -> list[str]:
    """The blobs of Python files, whose tables depend on nothing else; ``entries`` are paths and blobs."""
    return list(dict.fromkeys(blob for path, blob in entries if path.endswith((".py", ".pyi"))))


def touched_by(commit: Commit) -> list[str]:
    """The blobs of Python code that a commit changes, as they were before it and as they are after it."""
    return python_blobs(
        (path, blob)
        for change in commit.files
        for path, blob in ((change.old_path, change.old_blob), (change.new_path, change.new_blob))
        if path and blob and kind_of(path) is Kind.CODE
    )
