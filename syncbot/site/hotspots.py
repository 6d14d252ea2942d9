"""Which of our files break most, and by which upstream modules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date

from syncbot.impact.model import Impact, Verdict
from syncbot.report.model import Report, ReportCommit
from syncbot.report.view import SHOWN
from syncbot.site.days import Day


@dataclass(frozen=True, slots=True)
class Hit:
    """One impact on a file, with the day and the commit; ``lines`` are those of this file."""

    day: date
    report: Report
    commit: ReportCommit | None
    impact: Impact
    lines: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class HotSpot:
    """A file of the backend with everything that ever met it, newest first."""

    file: str
    hits: tuple[Hit, ...]

    def count(self, verdict: Verdict) -> int:
        """The number of hits with that verdict."""
        return sum(hit.impact.verdict is verdict for hit in self.hits)

    @property
    def last_break(self) -> date | None:
        """The newest day that something broke it; None where nothing did."""
        return max((hit.day for hit in self.hits if hit.impact.verdict is Verdict.BREAKS), default=None)

    @property
    def modules(self) -> tuple[tuple[str, Mapping[Verdict, int]], ...]:
        """The upstream modules that met it and how often with which verdict, the worst first."""
        return by_module(self.hits)


def hot_spots(days: Iterable[Day]) -> tuple[HotSpot, ...]:
    """The files that impacts name, those that break most first; the backend's tests are left out."""
    found: dict[str, list[Hit]] = {}
    for day in sorted(days, key=lambda day: day.date, reverse=True):
        for report in day.reports:
            for impact in report.impacts:
                if impact.tests_only or impact.verdict not in SHOWN:
                    continue
                places: dict[str, list[int]] = {}
                for place in impact.locations:
                    places.setdefault(place.file, []).append(place.line)
                for file, lines in places.items():
                    hit = Hit(
                        day.date, report, report.by_sha.get(impact.commit), impact, tuple(sorted(set(lines)))
                    )
                    found.setdefault(file, []).append(hit)
    spots = [HotSpot(file, tuple(hits)) for file, hits in found.items()]
    return tuple(sorted(spots, key=lambda spot: (*(-spot.count(v) for v in SHOWN), spot.file)))


def by_module(hits: Iterable[Hit]) -> tuple[tuple[str, Mapping[Verdict, int]], ...]:
    """How often each upstream module met us with which verdict, the worst first."""
    counts: dict[str, Counter[Verdict]] = {}
    for hit in hits:
        counts.setdefault(module_of(hit.impact), Counter())[hit.impact.verdict] += 1
    return tuple(sorted(counts.items(), key=lambda item: (*(-item[1][v] for v in SHOWN), item[0])))


def module_of(impact: Impact) -> str:
    """The upstream module of the symbol: what stands before a capital letter, else before the last part."""
    parts = impact.symbol.split(".")
    for at, part in enumerate(parts):
        if part.lstrip("_")[:1].isupper():
            return ".".join(parts[:at]) or impact.symbol
    if impact.kind.startswith("module-") or len(parts) == 1:
        return impact.symbol
    return ".".join(parts[:-1])
