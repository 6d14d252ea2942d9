"""How suspicious each commit of a line is, told by static analysis before anything is run."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from syncbot.api.tree import modules_of
from syncbot.api.universe import Universe
from syncbot.bisect.commit_line import Line
from syncbot.contracts.changes import ParameterDetails
from syncbot.contracts.model import Contract, Verdict
from syncbot.impact.analysis import analyse
from syncbot.impact.caching.analysis_cache import AnalysisCache
from syncbot.impact.model import Impact, by_commit
from syncbot.impact.trees import Trees
from syncbot.upstream.commit_range import Span

# Relative probabilities, a judgement: they decide the order of the runs, never the answer.
_BY_VERDICT = {Verdict.BREAKS: 1.0, Verdict.AT_RISK: 0.2, Verdict.DRIFT: 0.02, Verdict.NONE: 0.01}
_NAMED = 10.0
_OUTSIDE = 0.1
_LOOKED_AT = 0.01
_SHIPPED = 0.002
_ELSE = 0.00002


@dataclass(frozen=True, slots=True)
class Scope:
    """The scope of the command: the backend's ``files`` (None: nobody knows), and names in its ``words``."""

    files: frozenset[str] | None
    words: str


@dataclass(frozen=True, slots=True)
class Suspicion:
    """``weight`` is a relative probability; ``met``: the commit changes what a contract rests on."""

    weight: float
    impacts: tuple[Impact, ...]
    met: bool


def suspicions(
    trees: Trees, line: Line, old: str, new: str, impacts: Sequence[Impact], scope: Scope
) -> list[Suspicion]:
    """How suspicious each commit of the line is, in its order."""
    known = by_commit(impacts)
    modules = set(_looked_at(trees, old, scope)) | set(_named(trees, (old, new), scope.words))
    paths = {path for sha in (old, new) for m in modules if (path := trees.tree(sha).path(m)) is not None}
    found = []
    for brought in line.brought:
        reasons = sorted(
            (impact for commit in brought for impact in known.get(commit.sha, ())),
            key=lambda impact: -_weight(impact, scope),
        )
        touched = {path for commit in brought for path in commit.paths}
        met = bool(touched & paths)
        weight = max((_weight(impact, scope) for impact in reasons), default=0.0)
        if met:
            weight += _LOOKED_AT
        shipped = any(f"/{package}/" in f"/{path}" for path in touched for package in trees.packages)
        found.append(Suspicion(weight + (_SHIPPED if shipped else _ELSE), tuple(reasons), met))
    return found


def healed(
    trees: Trees, line: Line, found: Sequence[Suspicion], analyses: AnalysisCache, scope: Scope
) -> list[Suspicion]:
    """The suspicions, and breaks that a later commit mended: each commit that changes what a contract rests
    on, without a reason yet, is looked at alone."""
    result = []
    for position, suspicion in enumerate(found):
        if suspicion.met and not suspicion.impacts:
            parent, sha = line.sha(position - 1), line.sha(position)
            impacts = analyse(trees, Span(parent, sha, line.brought[position]), analyses).impacts
            weights = {impact.id: _weight(impact, scope) for impact in impacts}
            ranked = tuple(sorted(impacts, key=lambda impact: -weights[impact.id]))
            suspicion = replace(
                suspicion,
                weight=suspicion.weight + max(weights.values(), default=0.0),
                impacts=ranked,
            )
        result.append(suspicion)
    return result


def _weight(impact: Impact, scope: Scope) -> float:
    weight = _BY_VERDICT[impact.verdict] * impact.confidence
    files = {place.file for place in impact.locations}
    if scope.files is not None and not files & scope.files:
        weight *= _OUTSIDE
    names = {impact.symbol, impact.symbol.rpartition(".")[2]}
    if isinstance(impact.details, ParameterDetails):
        names.add(impact.details.parameter)
    if any(name and re.search(rf"(?<![\w.]){re.escape(name)}(?!\w)", scope.words) for name in names):
        weight *= _NAMED
    return weight


def _looked_at(trees: Trees, commit: str, scope: Scope) -> Iterator[str]:
    """The upstream modules that the scope's contracts lead through, and those of bases."""
    tree = trees.tree(commit)
    universe = trees.universe(tree)
    for contract in trees.contracts(universe):
        if scope.files is None or contract.place.location.file in scope.files:
            seen = tree.start_recording()
            try:
                _resolve(universe, contract)
            finally:
                tree.stop_recording(seen)
            yield from modules_of(seen)


def _resolve(universe: Universe, contract: Contract) -> None:
    found = universe.resolve(contract.symbol)
    if found is not None and found.kind == "class":
        universe.lineage(found)


def _named(trees: Trees, commits: Collection[str], words: str) -> Iterator[str]:
    """The upstream modules that dotted names in a command lead to or through."""
    tops = "|".join(re.escape(package) for package in trees.packages)
    for name in re.findall(rf"(?<![\w.])(?:{tops})(?:\.\w+)+", words) if tops else ():
        for commit in commits:
            tree = trees.tree(commit)
            parts = name.split(".")
            known = (".".join(parts[:n]) for n in range(len(parts), 1, -1))
            module = next((m for m in known if tree.path(m) is not None), None)
            if module is not None:
                yield module
