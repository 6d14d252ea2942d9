"""From findings to impacts: what is one thing to report, and what it is called."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from syncbot.api.local_classes import table_name
from syncbot.contracts.changes import ArgumentDetails, ChangeKind
from syncbot.contracts.grounds import Ground
from syncbot.contracts.model import Contract, Finding, Location, Place, Verdict
from syncbot.impact.analysis import analyse, compared, impact_id, impacts
from syncbot.impact.attribution import Attributed
from syncbot.impact.caching.analysis_cache import AnalysisCache
from syncbot.upstream.commit_range import Span, between
from syncbot.upstream.model import Commit

from .conftest import Engine, TreesOf

ONE = Commit("a" * 40, (), datetime(2026, 1, 23, tzinfo=UTC), "Ada", "One (#1)", "", 1, ())
GROUNDS = {
    Verdict.BREAKS: Ground.REQUIRED_OF_OURS,
    Verdict.AT_RISK: Ground.TESTED_FOR,
    Verdict.DRIFT: Ground.COPIED,
}
TWO = replace(ONE, sha="b" * 40, subject="Two (#2)", pr=2)


def found(
    line: int = 1,
    *,
    commit: Commit | None = ONE,
    file: str = "src/plugin/main.py",
    kind: ChangeKind = ChangeKind.PARAMETER_REMOVED,
    symbol: str = "engine.base.f",
    subject: str = "x",
    verdict: Verdict = Verdict.BREAKS,
    reason: str = "",
) -> Attributed:
    contract = Contract(symbol=symbol, place=Place(Location(file, line), "plugin.main"))
    details = ArgumentDetails(argument=subject)
    told = reason or f"line {line}"
    finding = Finding(contract, kind, symbol, GROUNDS[verdict], told, subject=subject, details=details)
    return Attributed(finding, commit)


# Grouping


def test_each_class_of_ours_that_reaches_the_change_has_an_impact_that_names_it() -> None:
    def through(line: int, name: str) -> Attributed:
        each = found(line, reason=f"{name}() no longer takes x")
        contract = replace(each.finding.contract, symbol=name)
        return replace(each, finding=replace(each.finding, contract=contract))

    local = table_name(("make", "B"))
    told = impacts(
        [through(1, "plugin.a.A"), through(2, f"plugin.a.{local}"), found(3), through(4, "plugin.a.A")], set()
    )
    assert {impact.message: [place.line for place in impact.locations] for impact in told} == {
        "plugin.a.A() no longer takes x": [1, 4],
        "plugin.a.make.B() no longer takes x": [2],
        "line 3": [3],
    }
    assert len({impact.id for impact in told}) == 3
    assert {impact.symbol for impact in told} == {"engine.base.f"}


def test_the_same_change_at_many_places_is_one_impact() -> None:
    (impact,) = impacts([found(9), found(3), found(3), found(7)], set())
    assert [place.line for place in impact.locations] == [3, 7, 9]
    assert (impact.commit, impact.pr, impact.message) == (ONE.sha, 1, "line 3")
    assert (impact.details, impact.confidence) == (ArgumentDetails(argument="x"), 0.9)


@pytest.mark.parametrize(
    "other",
    [
        found(2, commit=TWO),
        found(2, commit=None),
        found(2, kind=ChangeKind.PARAMETER_RENAMED),
        found(2, symbol="engine.base.g"),
        found(2, subject="y"),
        found(2, file="tests/test_main.py"),
    ],
)
def test_what_differs_is_two_impacts(other: Attributed) -> None:
    both = impacts([found(1), other], {"tests/test_main.py"})
    assert len({impact.id for impact in both}) == len(both) == 2


def test_each_verdict_speaks_for_its_own_places() -> None:
    """A risk in one place is not reported as a break because another place breaks."""
    both = impacts(
        [
            found(1, verdict=Verdict.DRIFT),
            found(5, verdict=Verdict.BREAKS),
            found(3, verdict=Verdict.AT_RISK),
            found(7, verdict=Verdict.BREAKS),
        ],
        set(),
    )
    assert [(i.verdict, i.message, len(i.locations)) for i in both] == [
        (Verdict.BREAKS, "line 5", 2),
        (Verdict.AT_RISK, "line 3", 1),
        (Verdict.DRIFT, "line 1", 1),
    ]
    (alone,) = impacts([found(5, verdict=Verdict.BREAKS)], set())
    assert both[0].id == alone.id
    assert len({i.id for i in both}) == 3


def test_order_is_sources_first_then_worst_then_place() -> None:
    results = [
        found(1, subject="a", file="tests/test_main.py"),
        found(9, subject="b"),
        found(2, subject="c"),
        found(1, subject="d", verdict=Verdict.AT_RISK),
    ]
    ordered = impacts(results, {"tests/test_main.py"})
    assert [i.locations[0].line for i in ordered] == [2, 9, 1, 1]
    assert [i.tests_only for i in ordered] == [False, False, False, True]
    assert impacts(results[::-1], {"tests/test_main.py"}) == ordered


# Identity


def test_an_id_depends_on_the_upstream_change_alone() -> None:
    (here,) = impacts([found(1)], set())
    (there,) = impacts([found(40, file="src/plugin/other.py", verdict=Verdict.AT_RISK)], set())
    assert here.id == there.id
    assert len(here.id) == 10


def test_ids_are_the_same_in_every_version() -> None:
    """Issues and suppressions of users refer to them."""
    assert impact_id("a" * 40, "parameter-removed", "engine.base.f", "x", False) == "f4eb02a5ae"


def test_parts_of_an_id_do_not_run_into_each_other() -> None:
    assert impact_id("a", "bc", "d", "", False) != impact_id("ab", "c", "d", "", False)


def test_a_doubt_about_what_breaks_anyway_is_not_told() -> None:
    told = impacts([found(3), found(3, verdict=Verdict.AT_RISK, subject="y")], set())
    assert [i.verdict for i in told] == [Verdict.BREAKS]
    doubts = [found(line, verdict=Verdict.AT_RISK, subject="y") for line in (3, 4)]
    elsewhere = impacts([found(3), *doubts], set())
    told = [(i.verdict, i.message, [place.line for place in i.locations]) for i in elsewhere]
    assert told == [(Verdict.BREAKS, "line 3", [3]), (Verdict.AT_RISK, "line 4", [4])]
    of_another = impacts([found(3), found(3, verdict=Verdict.AT_RISK, symbol="engine.base.g")], set())
    assert [i.verdict for i in of_another] == [Verdict.BREAKS, Verdict.AT_RISK]


# The whole of it


def test_files_that_do_not_parse_are_named(engine: Engine, trees_of: TreesOf, tmp_path: Path) -> None:
    engine.commit({"engine/base.py": "X = 1\n", "engine/old.py": "def (:\n"})
    engine.commit({"engine/new.py": "class\n", "engine/base.py": "X = 2\n"})
    trees = trees_of({"src/plugin/main.py": "import engine.base\n", "src/plugin/bad.py": "x = (\n"})
    done = analyse(trees, between(trees.repository, *engine.shas), AnalysisCache(tmp_path / "analyses"))
    assert [path for path, _ in done.unanalysed] == ["src/plugin/bad.py", "engine/new.py"]
    assert all(reason.startswith("syntax error in line 1") for _, reason in done.unanalysed)


def test_an_empty_span_has_no_impacts(engine: Engine, trees_of: TreesOf, tmp_path: Path) -> None:
    sha = engine.commit({"engine/base.py": "def f(a): ...\n"})
    trees = trees_of("from engine.base import f\n\nf(1)\n")
    done = analyse(trees, Span(sha, sha, ()), AnalysisCache(tmp_path / "analyses"))
    assert (done.impacts, done.unanalysed) == ((), ())


def test_compared_needs_no_commits(engine: Engine, trees_of: TreesOf, tmp_path: Path) -> None:
    engine.commit({"engine/base.py": "def f(a): ...\n"})
    engine.commit({"engine/base.py": "def f(a, b): ...\n"})
    trees = trees_of({
        "src/plugin/main.py": "from engine.base import f\n\nf(1)\n",
        "tests/test_main.py": "from engine.base import f\n\nf(1)\n",
    })  # fmt: skip
    plain = compared(trees, *engine.shas)
    blamed = analyse(
        trees, between(trees.repository, *engine.shas), AnalysisCache(tmp_path / "analyses")
    ).impacts
    assert [(i.commit, i.tests_only) for i in plain] == [("", False), ("", True)]
    assert [(i.commit, i.tests_only) for i in blamed] == [(engine.shas[1], False), (engine.shas[1], True)]
    assert [(i.kind, i.locations) for i in plain] == [(i.kind, i.locations) for i in blamed]
