"""Days as weeks: what a chart of activity and breaks shows, and the table beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from syncbot.site.days import Day

#: How many weeks a chart shows at most.
YEAR = 53


@dataclass(frozen=True, slots=True)
class Week:
    """Seven days from a Monday on; ``days`` are those with commits, oldest first."""

    monday: date
    days: tuple[Day, ...]

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


@dataclass(frozen=True, slots=True)
class Bar:
    """One bar of a chart of height 100: where it begins (from left and top), how high it is."""

    x: int
    y: float
    height: float
    value: int
    week: Week


def weeks(days: Sequence[Day]) -> tuple[Week, ...]:
    """All weeks from the first day to the last, oldest first, those without commits included."""
    if not days:
        return ()
    inside: dict[date, list[Day]] = {}
    for day in sorted(days, key=lambda day: day.date):
        inside.setdefault(day.date - timedelta(day.date.weekday()), []).append(day)
    monday, last = min(inside), max(inside)
    found = []
    while monday <= last:
        found.append(Week(monday, tuple(inside.get(monday, ()))))
        monday += timedelta(7)
    return tuple(found)


def bars(shown: Sequence[Week], values: Sequence[int]) -> tuple[Bar, ...]:
    """A bar for each week, ten units apart; the highest value is 100 high, and none but 0 is invisible."""
    top = max(values, default=0) or 1
    made = []
    for at, (week, value) in enumerate(zip(shown, values, strict=True)):
        height = max(round(100 * value / top, 1), 2.0) if value else 0.0
        made.append(Bar(10 * at, round(100 - height, 1), height, value, week))
    return tuple(made)
