"""The type-checking engine: from two upstream commits and a backend to impacts, each with its commit."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache as remember
from pathlib import Path

import msgspec

from syncbot.api.bounded_source import bounded
from syncbot.api.cache import package_digest
from syncbot.api.tree import ModuleTree
from syncbot.api.universe import Universe
from syncbot.api.usage import UsageIndex
from syncbot.contracts.sources import Backend
from syncbot.errors import EnvironmentFailure
from syncbot.impact.caching.table_caches import table_caches
from syncbot.project_metadata.own_extras import install_line
from syncbot.sealed_values import keep, recall
from syncbot.typecheck.changed_lines import changes
from syncbot.typecheck.diagnostic_places import Places
from syncbot.typecheck.differential import Checker, Task, new
from syncbot.typecheck.guilty_commits import Sides, attribute_cases
from syncbot.typecheck.impacts_from_cases import impacts
from syncbot.typecheck.judged_case import Case
from syncbot.typecheck.judging import judge
from syncbot.typecheck.merge_engines import merge
from syncbot.typecheck.model import Diagnostic, Engine, TypecheckResult
from syncbot.typecheck.printed_names import Names
from syncbot.typecheck.registry import find
from syncbot.typecheck.workspace import layout
from syncbot.upstream.checkout import python_files
from syncbot.upstream.commit_range import Span
from syncbot.upstream.git_repository import GitRepository
from syncbot.upstream.model import Commit

_FOLDER = "typecheck"


def run(
    backend: Backend,
    repository: GitRepository,
    span: Span,
    cache: Path,
    environment: Path | None = None,
    engines: Sequence[str] | None = None,
    *,
    packages: Sequence[str] | None = None,
) -> TypecheckResult:
    """Every impact of a range of commits that type checkers can show. ``environment`` has third-party types,
    else these are ``Any``; ``packages`` are upstream's, else those that the backend imports. An engine that
    fails is listed as unavailable. Raises ConfigurationError for an unknown engine, EnvironmentFailure
    where git or the cache fails."""
    usable, unavailable = _usable(find(engines))
    versions = [f"{engine.name} {engine.version()}" for engine in usable]
    asked = [span.old, span.new, backend.digest, *versions, str(environment), str(packages)]
    question = hashlib.sha256("\0".join([typecheck_code_digest(), *asked]).encode()).hexdigest()[:32]
    kept = cache / _FOLDER / "runs" / f"{question}.json"
    clock = _Clock()
    known = recall(cache, kept)
    if known is not None:
        found = msgspec.json.decode(known, type=TypecheckResult)
        return replace(found, unavailable=tuple(unavailable), seconds={})
    result = _analyse(backend, usable, repository, span, cache, environment, packages, clock)
    if not result.unavailable:
        keep(cache, kept, msgspec.json.encode(result))
    return replace(result, unavailable=(*unavailable, *result.unavailable))


def _analyse(
    backend: Backend,
    usable: Sequence[Engine],
    repository: GitRepository,
    span: Span,
    cache: Path,
    environment: Path | None,
    packages: Sequence[str] | None,
    clock: _Clock,
) -> TypecheckResult:
    if not usable:
        return TypecheckResult(())
    with clock("list"):
        trees = [python_files(repository, sha) for sha in (span.old, span.new)]
        shape = layout(backend, trees, packages)
    if not shape.packages:
        return TypecheckResult((), (), clock.seconds)
    checker = Checker(backend, repository, shape, cache / _FOLDER, environment)
    with clock("check"):
        usable, sides, failed = _both_sides(checker, usable, span.old, span.new)
    with clock("judge"):
        cases = _cases(backend, repository, trees, shape.packages, cache, usable, sides)
    with clock("attribute"):
        repository.prefetch(_blobs(span.commits, shape.prefixes))
        history = changes(repository, span.old, span.new, shape.prefixes)
        guilt = attribute_cases(cases, checker, history, span.old, sides)
    found = impacts(guilt.cases, history, {c.sha: c for c in span.commits}, backend)
    lost = tuple(case.finding for case in guilt.lost)
    return TypecheckResult(found, tuple(failed), clock.seconds, lost)


def _usable(engines: Sequence[Engine]) -> tuple[list[Engine], list[tuple[str, str]]]:
    usable = [engine for engine in engines if engine.version()]
    absent = [engine.name for engine in engines if engine not in usable]
    return usable, [(name, f"{name} is not installed: {install_line('typecheck')}") for name in absent]


def _both_sides(
    checker: Checker, engines: Sequence[Engine], old: str, new_: str
) -> tuple[list[Engine], Sides, list[tuple[str, str]]]:
    found = checker.tried([Task(engine, side) for engine in engines for side in (old, new_)])
    sides: dict[str, tuple[frozenset[Diagnostic], frozenset[Diagnostic]]] = {}
    failed: list[tuple[str, str]] = []
    for engine, before, after in zip(engines, found[::2], found[1::2], strict=True):
        if not isinstance(before, EnvironmentFailure) and not isinstance(after, EnvironmentFailure):
            sides[engine.name] = (before, after)
        else:
            failed.append((engine.name, str(before if isinstance(before, EnvironmentFailure) else after)))
    return [e for e in engines if e.name in sides], sides, failed


def _cases(
    backend: Backend,
    repository: GitRepository,
    trees: Sequence[Mapping[str, str]],
    packages: Sequence[str],
    cache: Path,
    engines: Sequence[Engine],
    sides: Sides,
) -> list[Case]:
    findings = [
        finding
        for engine in engines
        for diagnostic in sorted(new(*sides[engine.name]))
        if (finding := engine.read(diagnostic)) is not None
    ]
    if not findings:
        return []
    tables, usages = table_caches(cache / "tables", limits=repository.limits)
    try:

        def read(blob: str) -> bytes:
            return bounded(repository.blob(blob), repository.limits)

        old_tree, new_tree = (ModuleTree(files, packages, tables, read) for files in trees)
        own = backend.tree(tables)
        names = Names(
            Universe([own, old_tree]), Universe([own, new_tree]), old_tree, new_tree, own, backend,
            UsageIndex(usages), repository,
        )  # fmt: skip
        places = Places(backend)
        judged = (judge(found.finding, found.engines, names, places) for found in merge(findings))
        return [case for case in judged if case is not None]
    finally:
        tables.close()
        usages.close()


def _blobs(commits: Sequence[Commit], prefixes: tuple[str, ...]) -> Iterator[str]:
    """What ``git log -p`` reads, which a partial clone should fetch in one go."""
    for commit in commits:
        for file in commit.files:
            for path, blob in ((file.old_path, file.old_blob), (file.new_path, file.new_blob)):
                if path is not None and blob is not None and path.startswith(prefixes):
                    yield blob


@remember
def typecheck_code_digest() -> str:
    """A digest over the code that a result depends on."""
    return package_digest("typecheck/**/*.py", "typecheck/**/*.yaml", "api/**/*.py", "contracts/**/*.py")


class _Clock:
    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def __call__(self, step: str) -> Iterator[None]:
        start = time.perf_counter()
        yield
        self.seconds[step] = round(time.perf_counter() - start, 3)
