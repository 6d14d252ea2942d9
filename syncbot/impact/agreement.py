"""Merges the findings of type checkers with those of the contract engine: one verdict a fact and line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from syncbot.contracts.grounds import Ground, unconfirmed
from syncbot.contracts.sources import Backend
from syncbot.impact.analysis import Analysis, rank
from syncbot.impact.model import Impact, Location, Verdict
from syncbot.impact.statement_lines import Statements

# Both name a caller in upstream that fails; all else that a checker says is about declarations.
_CALLER_SEEN = {Ground.CALLER_SHOWS, Ground.DEAD_OVERRIDE}


def with_types(analysis: Analysis, checked: Sequence[Impact], backend: Backend) -> Analysis:
    """The analysis with what type checkers found. What the contract engine tells of a line keeps its words,
    commit and verdict, and says that they agree. Lines that only the checkers tell are at risk, unless a
    caller in upstream is seen."""
    if not checked:
        return replace(analysis, impacts=tuple(sorted(analysis.impacts, key=rank)))
    result = list(analysis.impacts)
    statements = Statements(backend)

    def spots(impact: Impact) -> list[tuple[str, int]]:
        return [(place.file, statements.start(place.file, place.line)) for place in impact.locations]

    told: dict[tuple[str, int], list[int]] = {}
    for index, impact in enumerate(result):
        if impact.verdict is not Verdict.DRIFT:
            for spot in spots(impact):
                told.setdefault(spot, []).append(index)
    for other in checked:
        agreeing, alone = set[int](), list[Location]()
        for place, spot in zip(other.locations, spots(other), strict=True):
            twins = {index for index in told.get(spot, ()) if _is_same(result[index], other, place)}
            agreeing |= twins
            if not twins:
                alone.append(place)
        for index in agreeing:
            whole = {*spots(result[index])} <= {*spots(other)}
            result[index] = _agreeing(result[index], other, whole)
        if alone:
            result.append(_alone(replace(other, locations=tuple(alone))))
    return replace(analysis, impacts=tuple(sorted(_without_echoes(result), key=rank)))


def _without_echoes(found: Sequence[Impact]) -> Iterator[Impact]:
    """The impacts without doubts about what breaks for certain at the same place."""
    certain = {
        (impact.commit, impact.symbol, place)
        for impact in found
        if impact.verdict is Verdict.BREAKS
        for place in impact.locations
    }
    for impact in found:
        left = tuple(p for p in impact.locations if (impact.commit, impact.symbol, p) not in certain)
        if impact.verdict is not Verdict.AT_RISK:
            yield impact
        elif left:
            yield replace(impact, locations=left)


def _is_same(mine: Impact, other: Impact, place: Location) -> bool:
    """Whether two engines tell one fact in a statement: of one commit on the same line, or by the same names,
    whatever commit each of them blames. What is harmless is told of a fact, not of a line."""
    on_line = any((p.file, p.line) == (place.file, place.line) for p in mine.locations)
    if on_line and mine.commit == other.commit and mine.verdict is not Verdict.NONE:
        return True
    (name, subject), (their_name, their_subject) = _named(mine), _named(other)
    return name == their_name and (subject == their_subject or not (subject and their_subject))


def _named(impact: Impact) -> tuple[str, str]:
    """Return the subject of an impact: the last name of its symbol, and its parameter or member."""
    name = impact.symbol.removesuffix(".__init__").rpartition(".")[2]
    subject = impact.details.subject
    # The name of the symbol itself says no more: the contract engine leaves it out of imports.
    return name, "" if subject == name else subject


def _agreeing(mine: Impact, other: Impact, whole: bool) -> Impact:
    """The impact with the engines of another. Its verdict is raised where the other one names a caller and
    tells all of it, unless the contract engine has a reason for its doubt that no checker asks about."""
    both = replace(mine, engines=tuple(sorted({*mine.engines, *other.engines})))
    doubted = mine.ground is not None and mine.ground.stands
    raised = mine.verdict is Verdict.AT_RISK and other.verdict is Verdict.BREAKS and whole
    if doubted or not ((raised and other.ground in _CALLER_SEEN) or mine.verdict is other.verdict):
        return both
    return replace(both, verdict=other.verdict, confidence=max(mine.confidence, other.confidence))


def _alone(other: Impact) -> Impact:
    """Return an impact found by type checkers alone, less sure than a confirmed one: docs/evidence.md."""
    confidence = unconfirmed(other.confidence, len(other.engines))
    is_risk = other.verdict is Verdict.BREAKS and other.ground not in _CALLER_SEEN
    return replace(other, verdict=Verdict.AT_RISK if is_risk else other.verdict, confidence=confidence)
