"""The facts of the commits of a range, each kept for ever by the ids of the commit and its parents."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

import msgspec

from syncbot.api import differences, extract, model, module_declarations, signatures
from syncbot.api.cache import TableCache, source_digest
from syncbot.api.module_declarations import DeclaredTable
from syncbot.api.tree import BlobValues, ModuleTree
from syncbot.impact.caching.table_caches import declared_cache
from syncbot.impact.facts import collect, moves, native, requirements, users
from syncbot.impact.facts import model as facts_model
from syncbot.impact.facts.model import Facts
from syncbot.impact.trees import Trees
from syncbot.upstream.commit_range import Span
from syncbot.upstream.model import Commit

# Of a longer range, facts are told of the guilty commits alone: a year has tens of thousands of blobs.
_DETAILED = 400
# So many changed files are those of a release, which is hundreds of commits.
_VAST = 300


_CODE = (
    *(module_declarations, differences, extract, model, signatures),
    *(collect, facts_model, moves, native, requirements, users),
)


def of_interest(commits: Sequence[Commit], guilty: Collection[str] = ()) -> frozenset[str]:
    """Return the commits of a range whose facts are told: those that are guilty of something, and of a range
    that is not too long all that are no larger than a commit is."""
    short = len(commits) <= _DETAILED
    return frozenset(c.sha for c in commits if c.sha in guilty or (short and len(c.files) <= _VAST))


def facts_of_span(trees: Trees, span: Span, cache: Path, chosen: Collection[str]) -> dict[str, Facts]:
    """Commit sha → facts, for the ``chosen`` commits. Raises EnvironmentFailure."""
    wanted = [c for c in span.commits if c.sha in chosen]
    decode = msgspec.msgpack.Decoder(Facts).decode
    version = source_digest(*_CODE) + trees.repository.limits.key
    store = TableCache(cache / "tables", "facts", version, decode, Facts)
    declarations = declared_cache(cache / "tables", trees.repository.limits)
    maker = _Maker(trees, span, wanted, declarations)
    packages = ",".join(trees.packages)

    def made(commit: Commit) -> Facts:
        # What a release changed depends on the one before it in the range.
        key = ":".join((commit.sha, *commit.parents, packages))
        return store.get(key, lambda _: msgspec.msgpack.encode(maker.facts(commit)))

    try:
        return {commit.sha: made(commit) for commit in wanted}
    finally:
        store.close()
        declarations.close()


class _Maker:
    """Makes the facts of single commits; what many of them need is read once, and only if one is missing."""

    def __init__(
        self, trees: Trees, span: Span, wanted: Sequence[Commit], declarations: BlobValues[DeclaredTable]
    ) -> None:
        self._trees, self._span, self._wanted = trees, span, wanted
        self._declarations = declarations
        self._blobs = collect.Blobs(trees.read, trees.tables, declarations)
        self._ready, self._whole = False, False

    def facts(self, commit: Commit) -> Facts:
        if not self._ready:
            self._ready = True
            touched = (blob for each in self._wanted for blob in collect.touched(each))
            self._trees.repository.prefetch(touched)
        self._trees.load(collect.touched(commit))
        found = collect.collect(commit, self._blobs)
        if not commit.parents:
            return found
        parent = commit.parents[0]
        return users.with_users(
            found, lambda: self._tree(parent), lambda: self._tree(commit.sha), self._declarations
        )

    def _tree(self, commit: str) -> ModuleTree:
        if not self._whole:
            self._whole = True
            self._trees.along(self._span.commits[::-1], self._span.old, self._span.new)
            whole = [blob for _, blob in self._trees.tree(self._span.old).modules.values()]
            self._trees.repository.prefetch(whole)
            self._trees.load(whole)
        return self._trees.tree(commit)
