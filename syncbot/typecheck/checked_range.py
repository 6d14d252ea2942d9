"""The type-checking engine: from two upstream commits and a backend to impacts, each with its commit."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
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
from syncbot.impact.caching.table_caches import table_caches
from syncbot.impact.model import Ended, EngineState
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
from syncbot.typecheck.model import Engine, EngineFailed, TypecheckResult
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
    fails is told as such, and has no part in what is found. Raises ConfigurationError for an unknown engine,
    EnvironmentFailure where git or the cache fails."""
    asked_for = find(engines)
    usable = [engine for engine in asked_for if engine.version()]
    versions = [f"{engine.name} {engine.version()}" for engine in usable]
    # Of releases, what lies between two ends depends on which of them are here.
    between = [span.old, *(commit.sha for commit in span.commits), span.new]
    asked = [*between, backend.digest, *versions, str(environment), str(packages)]
    question = hashlib.sha256("\0".join([typecheck_code_digest(), *asked]).encode()).hexdigest()[:32]
    kept = cache / _FOLDER / "runs" / f"{question}.json"
    known = recall(cache, kept)
    if known is not None:
        result = msgspec.json.decode(known, type=TypecheckResult)
    else:
        result = _analyse(backend, usable, repository, span, cache, environment, packages)
        if not result.unfinished:
            keep(cache, kept, msgspec.json.encode(result))
    failed = {state.name: state for state in result.engines}
    return replace(result, engines=tuple(_state(engine, usable, failed) for engine in asked_for))


def _state(engine: Engine, usable: Sequence[Engine], failed: Mapping[str, EngineState]) -> EngineState:
    if engine not in usable:
        why = f"{engine.name} is not installed: {install_line('typecheck')}"
        return EngineState(engine.name, Ended.NOT_INSTALLED, why)
    return failed.get(engine.name, EngineState(engine.name, Ended.FINISHED))


def _analyse(
    backend: Backend,
    usable: Sequence[Engine],
    repository: GitRepository,
    span: Span,
    cache: Path,
    environment: Path | None,
    packages: Sequence[str] | None,
) -> TypecheckResult:
    """Return the findings of the engines that finish all their tasks, and why the others do not."""
    trees = [python_files(repository, sha) for sha in (span.old, span.new)]
    shape = layout(backend, trees, packages)
    if not shape.packages:
        return TypecheckResult(())
    checker = Checker(backend, repository, shape, cache / _FOLDER, environment)
    left, failed = list(usable), list[EngineState]()
    while left:
        try:
            result = _found(checker, left, trees, span, cache)
        except EngineFailed as error:
            # What the others have said is kept; what one said of a part alone is no answer.
            failed.append(EngineState(error.engine, Ended.INCOMPLETE, str(error)))
            left = [engine for engine in left if engine.name != error.engine]
        else:
            return replace(result, engines=tuple(failed))
    return TypecheckResult((), tuple(failed))


def _found(
    checker: Checker, engines: Sequence[Engine], trees: Sequence[Mapping[str, str]], span: Span, cache: Path
) -> TypecheckResult:
    """Return the findings of all of the engines. Raises EngineFailed."""
    backend, repository, shape = checker.backend, checker.repository, checker.layout
    said = checker.run([Task(engine, side) for engine in engines for side in (span.old, span.new)])
    pairs = zip(engines, said[::2], said[1::2], strict=True)
    sides = {engine.name: (before, after) for engine, before, after in pairs}
    cases = _cases(backend, repository, trees, shape.packages, cache, engines, sides)
    repository.prefetch(_blobs(span.commits, shape.prefixes))
    history = changes(repository, span.old, span.new, shape.prefixes)
    guilt = attribute_cases(cases, checker, history, span.old, sides)
    found = impacts(guilt.cases, history, {c.sha: c for c in span.commits}, backend)
    return TypecheckResult(found, (), tuple(case.finding for case in guilt.lost))


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
    """Yield the blobs that ``git log -p`` reads, which a partial clone should fetch in one go."""
    for commit in commits:
        for file in commit.files:
            for path, blob in ((file.old_path, file.old_blob), (file.new_path, file.new_blob)):
                if path is not None and blob is not None and path.startswith(prefixes):
                    yield blob


@remember
def typecheck_code_digest() -> str:
    """A digest over the code that a result depends on."""
    return package_digest("typecheck/**/*.py", "typecheck/**/*.yaml", "api/**/*.py", "contracts/**/*.py")
