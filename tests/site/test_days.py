"""From overlapping reports to days, weeks and hot spots."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from syncbot.contracts.changes import NOTHING_MORE, ChangeKind
from syncbot.impact.facts.model import Change, Facts
from syncbot.impact.model import Impact, Location, Verdict
from syncbot.report.model import Report, ReportCommit
from syncbot.site.days import Day, days
from syncbot.site.hotspots import by_module, hot_spots, module_of
from syncbot.site.weeks import charts, weeks

MONDAY = datetime(2026, 1, 19, 12, tzinfo=UTC)


def commit(number: int, day: int = 0, **given: object) -> ReportCommit:
    values: dict[str, object] = {"subject": f"Change {number}", "author": "Ada", "level": "low"}
    return ReportCommit(
        sha=f"{number:040x}", pr=None, date=MONDAY + timedelta(day), types=("refactor",), files=("a.py",), **values | given
    )  # type: ignore[arg-type]  # fmt: skip


def impact(number: int, verdict: Verdict = Verdict.BREAKS, **given: object) -> Impact:
    values: dict[str, object] = {
        "id": f"i{number}",
        "symbol": "up.mod.Thing.run",
        "kind": ChangeKind.SYMBOL_REMOVED,
        "message": "gone",
    }
    values["locations"] = (Location("src/a.py", 3),)
    return Impact(commit=f"{number:040x}", pr=None, verdict=verdict, **values | given)  # type: ignore[arg-type]


def report(
    commits: list[ReportCommit], impacts: tuple[Impact, ...] = (), name: str = "up", **given: object
) -> Report:
    return Report(1, name, "0" * 40, "1" * 40, tuple(commits), impacts, **given)  # type: ignore[arg-type]


def test_overlapping_reports_tell_each_commit_once_on_its_day() -> None:
    first = report([commit(2, 1), commit(1, 0)])
    second = report(
        [commit(3, 1), commit(2, 1, subject="Change 2, as it is known now")], web="https://example.com/up"
    )
    newer, older = days([first, second])
    assert (newer.date, older.date) == (date(2026, 1, 20), date(2026, 1, 19))
    assert [c.subject for c in newer.reports[0].commits] == ["Change 3", "Change 2, as it is known now"]
    assert (newer.commits, older.commits) == (2, 1)
    assert older.reports[0].web == "https://example.com/up"
    assert (older.reports[0].old_name, older.reports[0].new_name) == ("2026-01-18", "2026-01-19")


def test_facts_that_only_an_earlier_report_has_are_kept() -> None:
    facts = Facts((Change("class-removed", "up.mod.Thing", "up/mod.py"),))
    [day] = days([report([commit(1, facts=facts)]), report([commit(1, level="high")])])
    [found] = day.reports[0].commits
    assert (found.level, found.facts) == ("high", facts)


def test_what_broke_once_stays_told() -> None:
    broken = report([commit(1)], (impact(1),))
    mended = report([commit(1), commit(2)])
    [day] = days([broken, mended])
    assert [i.id for i in day.breaks] == ["i1"]
    assert day.breaking_commits == 1


def test_an_impact_without_a_known_commit_is_told_on_the_newest_day_of_its_report() -> None:
    lost = replace(impact(9), commit="")
    newer, older = days([report([commit(2, 3), commit(1, 0)], (lost,), unanalysed=(("src/b.py", "bad"),))])
    assert [i.id for i in newer.breaks] == ["i9"]
    assert newer.breaking_commits == 0
    assert newer.reports[0].unanalysed == (("src/b.py", "bad"),)
    assert (older.breaks, older.reports[0].unanalysed) == ((), ())


def test_tests_and_risks_are_no_breaks() -> None:
    some = (impact(1, tests_only=True), impact(1, Verdict.AT_RISK, id="r"))
    [day] = days([report([commit(1)], some)])
    assert (day.breaks, day.breaking_commits, len(day.reports[0].impacts)) == ((), 0, 2)


def test_upstreams_stay_apart() -> None:
    [day] = days([report([commit(1)], name="up"), report([commit(1)], name="other"), report([], name="none")])
    assert [r.upstream for r in day.reports] == ["other", "up"]


@given(st.lists(st.lists(st.tuples(st.integers(0, 30), st.integers(0, 9)), max_size=6), max_size=5))
def test_no_commit_is_lost_or_told_twice(numbers: list[list[tuple[int, int]]]) -> None:
    # A commit has one date, whichever report tells it.
    dates = {number: day for inner in numbers for number, day in inner}
    reports = [report([commit(n, dates[n]) for n in {n for n, _ in inner}]) for inner in numbers]
    found = days(reports)
    shas = [c.sha for day in found for r in day.reports for c in r.commits]
    assert sorted(shas) == sorted(f"{n:040x}" for n in dates)
    assert [day.date for day in found] == sorted((day.date for day in found), reverse=True)
    assert sum(week.commits for week in weeks(found)) == len(dates)


def test_weeks_without_commits_are_there_too() -> None:
    found = weeks(days([report([commit(1, 0), commit(2, 6), commit(3, 22)])]))
    assert [(str(week.monday), week.commits) for week in found] == [
        ("2026-01-19", 2), ("2026-01-26", 0), ("2026-02-02", 0), ("2026-02-09", 1),
    ]  # fmt: skip
    assert [week.part for week in found] == [False, False, False, True]
    assert [week.part for week in weeks(days([report([commit(1, 2), commit(2, 13)])]))] == [True, False]
    assert weeks(()) == ()
    assert [chart.bars for chart in charts(())] == [(), ()]


def test_both_charts_have_one_scale_and_rare_kinds_are_told_together() -> None:
    kinds = [kind for kind in ChangeKind if type(NOTHING_MORE) in kind.families][:7]
    details = [impact(1, id=f"i{at}", kind=kind) for at, kind in enumerate(kinds)]
    often = impact(2, id="again", kind=kinds[6])
    commits, breaks = charts(weeks(days([report([commit(1), commit(2, 7)], (*details, often))])))
    assert (commits.top, breaks.top) == (7, 7)
    assert commits.series == (("", 2),)
    assert [(s.y, s.height, s.value) for bar in commits.bars for s in bar.segments] == [(85.7, 14.3, 1)] * 2
    first, second = breaks.bars
    others = sorted(str(kind) for kind in kinds[:6])
    assert breaks.series == ((str(kinds[6]), 2), *((name, 1) for name in others[:4]), (None, 2))
    assert [(s.series, s.value) for s in first.segments] == [(0, 1), (1, 1), (2, 1), (3, 1), (4, 1), (5, 2)]
    assert (first.segments[-1].y, [(s.series, s.y) for s in second.segments]) == (0, [(0, 85.7)])


def test_files_are_ranked_by_what_breaks_them() -> None:
    two = (Location("src/b.py", 9), Location("src/b.py", 4), Location("src/c.py", 1))
    impacts = (
        impact(1, locations=two),
        impact(2, Verdict.AT_RISK, id="r"),
        impact(2, Verdict.AT_RISK, id="s"),
        impact(2, Verdict.NONE, id="n", locations=(Location("src/d.py", 1),)),
        impact(2, id="t", tests_only=True, locations=(Location("tests/a.py", 1),)),
        impact(3, id="u", locations=two[:1], symbol="up.other.function"),
    )
    spots = hot_spots(days([report([commit(1), commit(2, 1), commit(3, 2)], impacts)]))
    assert [(s.file, s.count(Verdict.BREAKS), s.count(Verdict.AT_RISK), s.last_break) for s in spots] == [
        ("src/b.py", 2, 0, date(2026, 1, 21)),
        ("src/c.py", 1, 0, date(2026, 1, 19)),
        ("src/a.py", 0, 2, None),
    ]
    assert [(hit.day.day, hit.lines) for hit in spots[0].hits] == [(21, (9,)), (19, (4, 9))]
    assert [name for name, _ in spots[0].modules] == ["up.mod", "up.other"]
    worst = by_module(hit for spot in spots for hit in spot.hits)
    assert [(name, dict(counts)) for name, counts in worst] == [
        ("up.mod", {Verdict.BREAKS: 2, Verdict.AT_RISK: 2}),
        ("up.other", {Verdict.BREAKS: 1}),
    ]


def test_the_module_of_a_symbol() -> None:
    def named(symbol: str, kind: ChangeKind = ChangeKind.PARAMETER_REMOVED) -> str:
        return module_of(impact(1, symbol=symbol, kind=kind))

    assert named("up.v1.worker.Worker.run") == "up.v1.worker"
    assert named("up.v1.worker._Worker.run") == "up.v1.worker"
    assert named("up.utils.helper") == "up.utils"
    assert named("up.attention.backends", ChangeKind.MODULE_REMOVED) == "up.attention.backends"
    assert named("up") == "up"
    assert named("Thing.run") == "Thing.run"


def test_a_day_without_reports_is_empty() -> None:
    assert Day(date(2026, 1, 1), ()).commits == 0
    assert days([]) == ()


def test_a_day_keeps_the_address_that_explains_kinds() -> None:
    page = "https://example.org/docs/kinds.md"
    [day] = days([report([commit(1)]), replace(report([commit(1)]), kinds_page=page)])
    assert day.reports[0].kinds_page == page
