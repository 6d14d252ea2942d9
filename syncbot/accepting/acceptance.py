"""Which findings of a check are accepted, by what, and what accepts nothing any more."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from fnmatch import fnmatchcase

from syncbot.accepting.comments import IgnoreComment
from syncbot.accepting.entries import AcceptedFinding
from syncbot.accepting.known import KnownFinding, KnownFindings
from syncbot.config import IgnoredPlaces
from syncbot.contracts.change_codes import kind_named
from syncbot.impact.model import Impact, Location

COMMENT, CONFIGURED, LISTED, KNOWN = "comment", "configuration", "file", "baseline"


@dataclass(frozen=True, slots=True)
class AcceptedImpact:
    """An impact, as far as it is accepted: ``by`` a comment, configuration, the file of accepted findings or
    that of known ones, with its reason."""

    impact: Impact
    by: str
    reason: str


@dataclass(frozen=True, slots=True)
class Acceptance:
    """The impacts that stay, those that are accepted, and what accepts nothing, in words. ``known_by`` is the
    file of known findings, if there is one, and ``gone`` what is no longer found of it."""

    left: tuple[Impact, ...]
    accepted: tuple[AcceptedImpact, ...] = ()
    stale: tuple[str, ...] = ()
    known_by: str | None = None
    gone: tuple[KnownFinding, ...] = ()


@dataclass(frozen=True, slots=True)
class Rules:
    """All that accepts findings: comments, configured places, findings listed in a file of that name, and
    those that were ``known`` before."""

    comments: Sequence[IgnoreComment] = ()
    places: Sequence[IgnoredPlaces] = ()
    findings: Sequence[AcceptedFinding] = ()
    file: str = ""
    known: KnownFindings | None = None


def acceptance(
    impacts: Iterable[Impact],
    rules: Rules,
    today: date,
    sources: Iterable[str],
    relies: Callable[[], set[tuple[str, int]]],
) -> Acceptance:
    """Divide impacts by rules. Stale are: a comment that is wrong, or in whose line nothing relies on
    upstream (``relies`` gives the lines that do); a pattern of which there is no file among ``sources``; a
    finding whose day is over, which counts no more."""
    left, accepted = [], []
    impacts = tuple(impacts)
    current = [one for one in rules.findings if one.expires is None or one.expires >= today]
    for impact in impacts:
        listed = next((one for one in current if impact.id.startswith(one.id)), None)
        if listed is not None:
            accepted.append(AcceptedImpact(impact, LISTED, listed.reason))
            continue
        known = rules.known.files(impact) if rules.known is not None else frozenset()
        places: dict[tuple[str, str], list[Location]] = {}
        for place in impact.locations:
            places.setdefault(_why(impact, place, rules, known) or ("", ""), []).append(place)
        for (by, reason), at in places.items():
            part = impact if len(places) == 1 else replace(impact, locations=tuple(at))
            if by:
                accepted.append(AcceptedImpact(part, by, reason))
            else:
                left.append(part)
    stale = tuple(_stale(rules, today, list(sources), relies))
    if rules.known is None:
        return Acceptance(tuple(left), tuple(accepted), stale)
    return Acceptance(tuple(left), tuple(accepted), stale, rules.known.name, rules.known.gone(impacts))


def _why(impact: Impact, place: Location, rules: Rules, known: Collection[str]) -> tuple[str, str] | None:
    """Return the sort of rule that accepts an impact at one place, and its reason; None without one."""
    for comment in rules.comments:
        here = not comment.wrong and (comment.file, comment.line) == (place.file, place.line)
        if here and impact.kind in comment.kinds:
            return COMMENT, comment.reason
    for ignored in rules.places:
        kinds = {kind_named(name) for name in ignored.kinds}
        if fnmatchcase(place.file, ignored.path) and impact.kind in kinds:
            return CONFIGURED, ignored.reason
    if rules.known is not None and place.file in known:
        return KNOWN, f"it is in {rules.known.name}"
    return None


def _stale(
    rules: Rules, today: date, sources: Sequence[str], relies: Callable[[], set[tuple[str, int]]]
) -> Iterable[str]:
    known = relies() if rules.comments else set()
    for comment in rules.comments:
        where = f"{comment.file}:{comment.at}"
        if comment.wrong:
            yield f"{where}: {comment.wrong}"
        elif (comment.file, comment.line) not in known:
            yield f"{where}: nothing in its line relies on this upstream"
    for ignored in rules.places:
        if not any(fnmatchcase(path, ignored.path) for path in sources):
            yield f"ignore {ignored.path}: there is no such file"
        for name in ignored.kinds:
            if kind_named(name) is None:
                yield f"ignore {ignored.path}: no kind is called {name}"
    for one in rules.findings:
        if one.expires is not None and one.expires < today:
            yield f"{rules.file}: {one.id} was accepted until {one.expires}"
