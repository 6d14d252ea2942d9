"""Reports on any ranges, divided into days: each commit and each impact once, on the day of the commit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta

from syncbot.impact.model import Impact, Verdict
from syncbot.report.model import Report, ReportCommit


@dataclass(frozen=True, slots=True)
class Day:
    """One day that upstreams had commits on: a report for each of them."""

    date: date
    reports: tuple[Report, ...]

    @property
    def commits(self) -> int:
        """The number of commits of all upstreams."""
        return sum(len(report.commits) for report in self.reports)

    @property
    def high(self) -> int:
        """The number of commits of high importance upstream."""
        return sum(commit.level == "high" for report in self.reports for commit in report.commits)

    @property
    def breaks(self) -> tuple[Impact, ...]:
        """The impacts that break the backend's sources."""
        return tuple(i for report in self.reports for i in report.impacts if is_break(i))

    @property
    def breaking_commits(self) -> int:
        """The number of commits that break the backend's sources."""
        return len({impact.commit for impact in self.breaks} - {""})


def is_break(impact: Impact) -> bool:
    """Whether an impact breaks the backend's sources, and not its tests alone."""
    return impact.verdict is Verdict.BREAKS and not impact.tests_only


def days(reports: Iterable[Report]) -> tuple[Day, ...]:
    """The days of all commits, newest first. Of several reports on one commit the last is taken, unless only
    an earlier one has facts; every impact is kept. Impacts without a known commit and files that could not be
    analysed are put on their report's newest day."""
    upstreams: dict[str, list[Report]] = {}
    for report in reports:
        if report.commits:
            upstreams.setdefault(report.upstream, []).append(report)
    found: dict[date, list[Report]] = {}
    for name in sorted(upstreams):
        for day, report in _merged(upstreams[name]):
            found.setdefault(day, []).append(report)
    return tuple(Day(day, tuple(found[day])) for day in sorted(found, reverse=True))


@dataclass(slots=True)
class _Collected:
    commits: list[ReportCommit] = field(default_factory=list)
    impacts: dict[tuple[str, bool], Impact] = field(default_factory=dict)
    unanalysed: dict[str, str] = field(default_factory=dict)


def _merged(reports: Sequence[Report]) -> Iterator[tuple[date, Report]]:
    commits = _commits(reports)
    collected: dict[date, _Collected] = {}
    for commit in commits.values():
        collected.setdefault(commit.date.date(), _Collected()).commits.append(commit)
    for report in reports:
        newest = max(commit.date for commit in report.commits).date()
        collected[newest].unanalysed.update(report.unanalysed)
        for impact in report.impacts:
            day = commits[impact.commit].date.date() if impact.commit in commits else newest
            collected[day].impacts[impact.id, impact.tests_only] = impact
    web = next((report.web for report in reversed(reports) if report.web), None)
    for day, found in collected.items():
        ordered = sorted(found.commits, key=lambda commit: (commit.date, commit.sha), reverse=True)
        merged = replace(
            reports[-1],
            old="",
            new="",
            commits=tuple(ordered),
            impacts=tuple(sorted(found.impacts.values(), key=_rank)),
            unanalysed=tuple(sorted(found.unanalysed.items())),
            old_name=(day - timedelta(1)).isoformat(),
            new_name=day.isoformat(),
            web=web,
            diff="",
        )
        yield day, merged


def _commits(reports: Sequence[Report]) -> Mapping[str, ReportCommit]:
    found: dict[str, ReportCommit] = {}
    for report in reports:
        for commit in report.commits:
            known = found.get(commit.sha)
            if known is not None and commit.facts is None and known.facts is not None:
                commit = replace(commit, facts=known.facts)
            found[commit.sha] = commit
    return found


def _rank(impact: Impact) -> tuple[object, ...]:
    return (impact.tests_only, tuple(Verdict).index(impact.verdict), impact.locations, impact.id)
