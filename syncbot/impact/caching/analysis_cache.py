"""Analyses kept by what they depend on: the same question again is answered from disk."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

import msgspec

from syncbot.api.cache import package_digest
from syncbot.contracts.configured_facts import Knowledge
from syncbot.contracts.coverage import Coverage
from syncbot.contracts.misfit import Misfit
from syncbot.contracts.sources import Backend
from syncbot.errors import EnvironmentFailure
from syncbot.impact.model import Impact
from syncbot.impact.trees import Trees
from syncbot.sealed_values import keep, recall
from syncbot.upstream.commit_range import Span

_CODE = (
    *("api/**/*.py", "contracts/**/*.py", "impact/*.py", "impact/caching/*.py"),
    "project_metadata/*.py",
)


class CachedAnalysis(msgspec.Struct, frozen=True):
    """The results of an analysis without the commits, which git reads again."""

    impacts: tuple[Impact, ...]
    unanalysed: tuple[tuple[str, str], ...]
    coverage: Coverage | None = None
    misfit: Misfit | None = None


class AnalysisCache:
    """Keeps analyses in a folder, one small file each."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, trees: Trees, span: Span) -> CachedAnalysis | None:
        """Return the known analysis of a range of commits; None where it is unknown."""
        known = recall(self._folder.parent, self._path(trees, span))
        return msgspec.msgpack.decode(known, type=CachedAnalysis) if known is not None else None

    def put(self, trees: Trees, span: Span, found: CachedAnalysis) -> None:
        """Keep an analysis. A cache that cannot be written is no error."""
        with suppress(EnvironmentFailure):
            keep(self._folder.parent, self._path(trees, span), msgspec.msgpack.encode(found))

    def _path(self, trees: Trees, span: Span) -> Path:
        # A commit may become a release later: what stands under tests of the version is told by that.
        versions = map(str, trees.versions(span.old, span.new))
        # The same ends may have other commits between them, and so other guilty ones.
        between = [commit.sha for commit in span.commits]
        asked = question(
            trees.backend, trees.packages, trees.knowledge, span.old, span.new,
            trees.repository.limits.key, *versions, "commits", *between,
        )  # fmt: skip
        return self._folder / f"{asked}.msgpack"


def question(backend: Backend, packages: Sequence[str], knowledge: Knowledge, *more: str) -> str:
    """A digest of all that an analysis depends on beside upstream's sources."""
    return question_of_any(backend.digest, *more, *packages, repr(knowledge))


def question_of_any(*parts: str) -> str:
    """A digest of some parts, and of the code that analyses."""
    digest = hashlib.sha256()
    for part in (analysis_code_digest(), *parts):
        digest.update(f"{part}\0".encode())
    return digest.hexdigest()[:32]


@cache
def analysis_code_digest() -> str:
    """Return a digest of the code that analyses: what it finds may change with it."""
    return package_digest(*_CODE)
