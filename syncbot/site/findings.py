"""Parts of a page on a finding beside the impact: our lines as they are, and the proposed edit of them."""

from __future__ import annotations

import difflib
import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date

from syncbot.errors import SyncbotError
from syncbot.impact.model import Fix, Impact, Location
from syncbot.patching.apply import Direction, Step, apply_steps
from syncbot.patching.model import Patch, Rewrite, UpstreamChange
from syncbot.report.model import Report, ReportCommit
from syncbot.report.view import SHOWN
from syncbot.site.days import Day

_AROUND, _PLACES = 3, 12


@dataclass(frozen=True, slots=True)
class Finding:
    """An impact, and the newest day that it was found on."""

    day: date
    report: Report
    commit: ReportCommit | None
    impact: Impact


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Lines of one of our files: their numbers and texts, and whether the impact is on them."""

    place: Location
    lines: tuple[tuple[int, str, bool], ...]


def findings(days: Iterable[Day]) -> tuple[Finding, ...]:
    """Every impact that is told, each id once, newest first."""
    found: dict[str, Finding] = {}
    for day in sorted(days, key=lambda day: day.date, reverse=True):
        for report in day.reports:
            for impact in report.impacts:
                if impact.verdict in SHOWN:
                    finding = Finding(day.date, report, report.by_sha.get(impact.commit), impact)
                    found.setdefault(impact.id, finding)
    return tuple(found.values())


def finding_url(impact: Impact) -> str:
    """The page of a finding, from the site's root."""
    plain = re.fullmatch(r"[A-Za-z0-9_-]{1,64}", impact.id)
    name = impact.id if plain else hashlib.sha256(impact.id.encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return f"findings/{name}.html"


def excerpts(impact: Impact, sources: Mapping[str, str]) -> tuple[Excerpt, ...]:
    """Our lines as they are now, where the file is still there and long enough."""
    return tuple(_excerpts(impact.locations[:_PLACES], sources))


def _excerpts(places: Iterable[Location], sources: Mapping[str, str]) -> Iterator[Excerpt]:
    for place in places:
        lines = sources.get(place.file, "").split("\n")
        if 1 <= place.line <= len(lines) and place.file in sources:
            first = max(place.line - _AROUND, 1)
            shown = enumerate(lines[first - 1 : place.line + _AROUND], first)
            yield Excerpt(place, tuple((number, text, number == place.line) for number, text in shown))


def edit(impact: Impact, sources: Mapping[str, str]) -> str:
    """The proposed edit of our files as they are now; empty where none is proposed or it no longer fits."""
    names = {place.file for place in impact.locations}
    before = {name: text for name, text in sources.items() if name in names and name.endswith(".py")}
    if impact.fix is None or not before:
        return ""
    try:
        rewrites = tuple(
            Rewrite(rule=each.rule, arguments=dict(each.arguments)) for each in all_rewrites(impact)
        )
        change = UpstreamChange(name="upstream", first_version="0")
        patch = Patch(id="0-proposed", upstream=change, symbol="a.b", reason="proposed", rewrites=rewrites)
        after = apply_steps(before, [Step(patch, Direction.FORWARD)])
    except (SyncbotError, ValueError):
        return ""
    return "\n".join(
        line
        for name in sorted(after)
        if after[name] != before.get(name, "")
        for line in difflib.unified_diff(
            before.get(name, "").splitlines(), after[name].splitlines(), f"a/{name}", f"b/{name}", lineterm=""
        )
    )


def all_rewrites(impact: Impact) -> tuple[Fix, ...]:
    """The rewrites that belong to a proposal, in order."""
    return () if impact.fix is None else (impact.fix, *impact.fix.also)
