from __future__ import annotations

from syncbot.typecheck.merge_engines import merge
from syncbot.typecheck.model import Diagnostic, Finding, Problem


def finding(engine: str, problem: Problem, line: int = 1, owner: str = "", *names: str) -> Finding:
    return Finding(Diagnostic("a.py", line, 1, "rule", engine), engine, problem, owner, names)


def test_the_same_place_and_name_is_one_finding_of_both_engines() -> None:
    one = finding("pyrefly", Problem.KEYWORD_UNKNOWN, 1, "up.text.clean", "strict")
    two = finding("ty", Problem.KEYWORD_UNKNOWN, 1, "clean", "strict")
    [found] = merge([two, one])
    assert found.engines == ("pyrefly", "ty")
    assert found.finding == one


def test_several_names_of_one_message_meet_the_single_ones() -> None:
    both = finding("ty", Problem.ARGUMENT_MISSING, 1, "f", "a", "b")
    single = [finding("pyrefly", Problem.ARGUMENT_MISSING, 1, "up.f", name) for name in ("a", "b")]
    assert [(f.finding.names, f.engines) for f in merge([both, *single])] == [
        (("a",), ("pyrefly", "ty")),
        (("b",), ("pyrefly", "ty")),
    ]


def test_a_message_without_a_name_joins_the_only_one_of_its_line() -> None:
    named = finding("pyrefly", Problem.ARGUMENT_TYPE, 1, "up.f", "a")
    nameless = finding("ty", Problem.ARGUMENT_TYPE, 1, "f")
    assert [f.engines for f in merge([named, nameless])] == [("pyrefly", "ty")]
    other = finding("pyrefly", Problem.ARGUMENT_TYPE, 1, "up.f", "b")
    assert len(merge([named, other, nameless])) == 3


def test_other_lines_and_problems_stay_apart() -> None:
    findings = [
        finding("pyrefly", Problem.ARGUMENT_TYPE, 1, "f", "a"),
        finding("ty", Problem.ARGUMENT_TYPE, 2, "f", "a"),
        finding("ty", Problem.KEYWORD_UNKNOWN, 1, "f", "a"),
    ]
    assert len(merge(findings)) == 3
