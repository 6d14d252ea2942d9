"""Days as weeks: what the charts of breaks show, and the table beside them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from syncbot.site.days import Day

#: How many weeks a chart shows at most.
YEAR = 53

_KINDS = 5  # More kinds of change than these are told together: nobody tells so many patterns apart.


@dataclass(frozen=True, slots=True)
class Week:
    """Seven days from a Monday on; ``days`` are those with commits, oldest first. Of a ``part`` week, not all
    days lie between the first and the last day that is known."""

    monday: date
    days: tuple[Day, ...]
    part: bool = False

    @property
    def commits(self) -> int:
        """The number of commits."""
        return sum(day.commits for day in self.days)

    @property
    def high(self) -> int:
        """The number of commits of high importance upstream."""
        return sum(day.high for day in self.days)

    @property
    def breaking(self) -> int:
        """The number of commits that break the backend's sources."""
        return sum(day.breaking_commits for day in self.days)

    @property
    def kinds(self) -> Counter[str]:
        """How often upstream broke the backend's sources by which kind of change."""
        return Counter(str(impact.kind) for day in self.days for impact in day.breaks)


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of a bar: the position of its series, where it begins from the top, how high it is."""

    series: int
    y: float
    height: float
    value: int


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar: where it begins from the left, and its segments from below."""

    x: int
    week: Week
    segments: tuple[Segment, ...]


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart of height 100. ``series`` are names and totals, None is the name of all other kinds; ``top``
    is the value at the upper edge."""

    bars: tuple[Bar, ...]
    series: tuple[tuple[str | None, int], ...]
    top: int


def weeks(days: Sequence[Day]) -> tuple[Week, ...]:
    """All weeks from the first day to the last, oldest first, those without commits included."""
    if not days:
        return ()
    inside: dict[date, list[Day]] = {}
    for day in sorted(days, key=lambda day: day.date):
        inside.setdefault(day.date - timedelta(day.date.weekday()), []).append(day)
    first, end = min(day.date for day in days), max(day.date for day in days)
    monday, last = min(inside), max(inside)
    found = []
    while monday <= last:
        part = monday < first or monday + timedelta(6) > end
        found.append(Week(monday, tuple(inside.get(monday, ())), part))
        monday += timedelta(7)
    return tuple(found)


def charts(shown: Sequence[Week]) -> tuple[Chart, Chart]:
    """The commits a week that break us, and the breaks a week by kind, on one scale: the highest bar of both
    is at the upper edge."""
    top = max((max(week.breaking, week.kinds.total()) for week in shown), default=0) or 1
    commits: list[Mapping[str | None, int]] = [{"": week.breaking} for week in shown]
    totals = Counter[str]()
    for week in shown:
        totals += week.kinds
    ranked = sorted(totals, key=lambda kind: (-totals[kind], kind))
    named: list[str | None] = [*ranked[:_KINDS], *([None] if len(ranked) > _KINDS else [])]
    kinds: list[Mapping[str | None, int]] = [_together(week.kinds, ranked[_KINDS:]) for week in shown]
    return _chart(shown, commits, [""], top), _chart(shown, kinds, named, top)


def _together(kinds: Mapping[str, int], rare: Iterable[str]) -> dict[str | None, int]:
    others = set(rare)
    found: dict[str | None, int] = {kind: n for kind, n in kinds.items() if kind not in others}
    return found | {None: sum(kinds[kind] for kind in others & kinds.keys())}


def _chart(
    shown: Sequence[Week], values: Sequence[Mapping[str | None, int]], names: Sequence[str | None], top: int
) -> Chart:
    bars = []
    for at, (week, counts) in enumerate(zip(shown, values, strict=True)):
        y, segments = 100.0, []
        for series, name in enumerate(names):
            value = counts.get(name, 0)
            height = 100 * value / top
            y -= height
            if value:
                segments.append(Segment(series, round(y, 1), round(height, 1), value))
        bars.append(Bar(10 * at, week, tuple(segments)))
    totals = [sum(counts.get(name, 0) for counts in values) for name in names]
    return Chart(tuple(bars), tuple(zip(names, totals, strict=True)), top)
