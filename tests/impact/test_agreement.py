"""Type checkers add facts: each once a line, with one verdict, whoever reports it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from syncbot.contracts.changes import ArgumentDetails, ChangeKind, CheckerDetails, NameDetails
from syncbot.contracts.grounds import Ground
from syncbot.contracts.sources import in_memory
from syncbot.impact.agreement import with_types
from syncbot.impact.analysis import Analysis
from syncbot.impact.model import Impact, Location, Verdict
from syncbot.upstream.commit_range import Span
from syncbot.upstream.model import Commit

ONE = Commit("a" * 40, (), datetime(2026, 1, 23, tzinfo=UTC), "Ada", "One (#1)", "", 1, ())
TWO = replace(ONE, sha="b" * 40, subject="Two (#2)", pr=2)
NONE = in_memory({"plugin/__init__.py": ""})
MAIN = "src/plugin/main.py"
CALL = in_memory(
    {"src/plugin/__init__.py": "", MAIN: "import up\n\nup.f(\n    1,\n    size=2,\n)\nup.f(size=3)\n"}
)


def analysis(*known: Impact) -> Analysis:
    return Analysis(Span("0" * 40, TWO.sha, (TWO, ONE)), known, (("src/x.py", "why"),))


def mine(*lines: int, **changes: object) -> Impact:
    plain = Impact(
        "m" * 10, ONE.sha, 1, "engine.base.f", ChangeKind.PARAMETER_REMOVED, Verdict.BREAKS,
        tuple(Location(MAIN, line) for line in lines), "f() no longer takes size", confidence=0.9,
        details=ArgumentDetails(argument="size"), ground=Ground.CALL_DOES_NOT_BIND,
    )  # fmt: skip
    return replace(plain, **changes)  # type: ignore[arg-type]


def checked(*lines: int, **changes: object) -> Impact:
    plain = Impact(
        "t" * 10, ONE.sha, 1, "engine.base.f", ChangeKind.PARAMETER_REMOVED, Verdict.BREAKS,
        tuple(Location(MAIN, line, 5) for line in lines), "ty says so", engines=("ty",), confidence=0.99,
        details=CheckerDetails(name="size"), ground=Ground.CALL_DOES_NOT_BIND,
    )  # fmt: skip
    return replace(plain, **changes)  # type: ignore[arg-type]


def told(known: Analysis) -> list[tuple[str, Verdict, tuple[str, ...], list[int]]]:
    return [(i.id[0], i.verdict, i.engines, [place.line for place in i.locations]) for i in known.impacts]


def test_agreement_keeps_the_words_and_names_all_engines() -> None:
    ours = mine(3)
    others = [checked(3), checked(3, engines=("pyrefly",), confidence=0.4)]
    (merged,) = with_types(analysis(ours), others, NONE).impacts
    assert merged == replace(ours, engines=("contracts", "pyrefly", "ty"), confidence=0.99)


@pytest.mark.parametrize("verdict", [Verdict.BREAKS, Verdict.AT_RISK])
def test_checkers_that_agree_raise_no_doubt_to_a_break(verdict: Verdict) -> None:
    doubt = mine(3, verdict=Verdict.AT_RISK, ground=Ground.TESTED_FOR, confidence=0.6)
    (merged,) = with_types(analysis(doubt), [checked(3, verdict=verdict)], NONE).impacts
    assert (merged.verdict, merged.engines) == (Verdict.AT_RISK, ("contracts", "ty"))


CALLER_SEEN = [Ground.CALLER_SHOWS, Ground.DEAD_OVERRIDE]


@pytest.mark.parametrize("ground", CALLER_SEEN)
def test_a_caller_that_a_checker_names_raises_a_doubt_about_all_of_its_lines(ground: Ground) -> None:
    doubt = mine(3, 7, verdict=Verdict.AT_RISK, ground=Ground.NOT_PASSED_YET, confidence=0.5)
    both = with_types(analysis(doubt), [checked(3, 7, ground=ground)], NONE)
    assert told(both) == [("m", Verdict.BREAKS, ("contracts", "ty"), [3, 7])]
    assert told(with_types(analysis(doubt), [checked(3, ground=ground)], NONE)) == [
        ("m", Verdict.AT_RISK, ("contracts", "ty"), [3, 7])
    ]


@pytest.mark.parametrize("ground", [ground for ground in Ground if ground.stands])
def test_what_is_doubted_for_a_reason_that_no_checker_knows_stays_at_risk(ground: Ground) -> None:
    doubt = mine(3, verdict=Verdict.AT_RISK, ground=ground)
    (merged,) = with_types(analysis(doubt), [checked(3, ground=Ground.CALLER_SHOWS)], NONE).impacts
    assert (merged.verdict, merged.engines) == (Verdict.AT_RISK, ("contracts", "ty"))


@pytest.mark.parametrize(
    "other",
    [
        checked(4),
        checked(3, commit=TWO.sha, symbol="engine.base.g"),
        checked(3, locations=(Location("src/plugin/other.py", 3),)),
    ],
)
def test_what_only_a_checker_sees_is_a_risk(other: Impact) -> None:
    ours = mine(3)
    merged = with_types(analysis(ours), [other], NONE)
    added = [impact for impact in merged.impacts if impact is not ours]
    assert added == [replace(other, verdict=Verdict.AT_RISK, confidence=0.7)]
    assert merged.unanalysed == (("src/x.py", "why"),)


@pytest.mark.parametrize("ground", CALLER_SEEN)
def test_what_only_a_checker_sees_breaks_where_it_names_a_caller(ground: Ground) -> None:
    assert told(with_types(analysis(), [checked(4, ground=ground)], NONE)) == [
        ("t", Verdict.BREAKS, ("ty",), [4])
    ]


def test_two_checkers_are_more_to_be_trusted_than_one() -> None:
    (both,) = with_types(analysis(), [checked(4, engines=("pyrefly", "ty"))], NONE).impacts
    assert (both.verdict, both.confidence) == (Verdict.AT_RISK, 0.85)


def test_lines_that_only_the_checker_tells_are_told_apart_from_those_that_both_do() -> None:
    assert told(with_types(analysis(mine(3)), [checked(3, 9)], NONE)) == [
        ("m", Verdict.BREAKS, ("contracts", "ty"), [3]),
        ("t", Verdict.AT_RISK, ("ty",), [9]),
    ]


def test_one_fact_for_which_two_engines_blame_two_commits_has_one_verdict() -> None:
    """The contract engine's commit stays: it looks at each, a checker only at those that its words hint at."""
    other = checked(3, commit=TWO.sha, symbol="engine.derived.f")
    (merged,) = with_types(analysis(mine(3)), [other], NONE).impacts
    assert (merged.commit, merged.verdict, merged.engines) == (ONE.sha, Verdict.BREAKS, ("contracts", "ty"))
    of_another_parameter = replace(other, details=CheckerDetails(name="speed"))
    assert len(with_types(analysis(mine(3)), [of_another_parameter], NONE).impacts) == 2


def test_what_the_contract_engine_finds_harmless_stays_so() -> None:
    harmless = mine(3, verdict=Verdict.NONE)
    assert told(with_types(analysis(harmless), [checked(3)], NONE)) == [
        ("m", Verdict.NONE, ("contracts", "ty"), [3])
    ]
    other = checked(3, symbol="engine.base.g")
    assert [i.verdict for i in with_types(analysis(harmless), [other], NONE).impacts] == [
        Verdict.AT_RISK, Verdict.NONE,
    ]  # fmt: skip


def test_drift_at_the_same_line_is_another_matter() -> None:
    merged = with_types(analysis(mine(3, verdict=Verdict.DRIFT)), [checked(3)], NONE).impacts
    assert [i.verdict for i in merged] == [Verdict.AT_RISK, Verdict.DRIFT]


def test_a_checker_cannot_make_a_verdict_milder() -> None:
    other = checked(3, verdict=Verdict.AT_RISK, confidence=0.1)
    (merged,) = with_types(analysis(mine(3)), [other], NONE).impacts
    assert (merged.verdict, merged.confidence) == (Verdict.BREAKS, 0.9)


def test_one_line_with_two_impacts_agrees_with_both() -> None:
    both = mine(3), mine(3, id="n" * 10, details=ArgumentDetails(argument="y"))
    merged = with_types(analysis(*both), [checked(3)], NONE).impacts
    assert [i.engines for i in merged] == [("contracts", "ty")] * 2


def test_a_line_is_not_at_risk_for_what_breaks_it() -> None:
    """Two doubts about one symbol, of which a checker settles one: the other one keeps its further lines."""
    first = mine(3, verdict=Verdict.AT_RISK, ground=Ground.NOT_PASSED_YET)
    second = mine(3, 9, id="n" * 10, verdict=Verdict.AT_RISK, ground=Ground.STILL_FITTING)
    merged = with_types(analysis(first, second), [checked(3, ground=Ground.CALLER_SHOWS)], NONE)
    assert told(merged) == [
        ("m", Verdict.BREAKS, ("contracts", "ty"), [3]),
        ("n", Verdict.AT_RISK, ("contracts", "ty"), [9]),
    ]


def test_one_cause_told_at_two_lines_of_a_call_is_one_impact() -> None:
    other = checked(5, 7)
    merged = with_types(analysis(mine(3)), [other], CALL)
    assert told(merged) == [
        ("m", Verdict.BREAKS, ("contracts", "ty"), [3]),
        ("t", Verdict.AT_RISK, ("ty",), [7]),
    ]
    renamed = checked(5, kind=ChangeKind.PARAMETER_RENAMED)
    assert [i.engines for i in with_types(analysis(mine(3)), [renamed], CALL).impacts] == [
        ("contracts", "ty")
    ]
    apart = checked(5, details=CheckerDetails(name="other"))
    assert len(with_types(analysis(mine(3)), [apart], CALL).impacts) == 2


def test_an_import_of_several_lines_is_told_once() -> None:
    """The contract engine names the line of the name, or of the statement; checkers may name the other one."""
    text = "from up.tools import (\n    spanner,\n    wrench,\n)\n"
    own = in_memory({"src/plugin/__init__.py": "", MAIN: text})
    ours = [
        mine(1, id=name, symbol=f"up.tools.{name}", kind=ChangeKind.SYMBOL_MOVED,
             details=NameDetails(old=f"up.tools.{name}", new=f"up.new.{name}"))
        for name in ("spanner", "wrench")
    ]  # fmt: skip
    others = [
        checked(line, symbol=f"up.tools.{name}", kind=ChangeKind.SYMBOL_REMOVED, details=CheckerDetails(name=name))
        for line, name in ((2, "spanner"), (3, "wrench"))
    ]  # fmt: skip
    merged = with_types(analysis(*ours), others, own).impacts
    assert [(i.id, i.kind, i.engines) for i in merged] == [
        ("spanner", "symbol-moved", ("contracts", "ty")),
        ("wrench", "symbol-moved", ("contracts", "ty")),
    ]
    apart = replace(others[0], symbol="up.tools.hammer", details=CheckerDetails(name="hammer"))
    assert len(with_types(analysis(*ours), [apart], own).impacts) == 3


def test_nothing_from_checkers_changes_nothing() -> None:
    known = analysis(mine(3), mine(5, id="n" * 10))
    assert with_types(known, [], NONE) == known
