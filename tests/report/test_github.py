from __future__ import annotations

from hypothesis import given

from syncbot.impact.model import Location, Verdict
from syncbot.report.formats import render
from syncbot.report.model import Report

from .conftest import day, impact
from .test_json import REPORTS


def test_one_annotation_an_impact(report: Report) -> None:
    lines = render(report, "github").splitlines()
    assert [line.split(" ")[0] for line in lines] == [
        "::error",
        "::error",
        "::warning",
        "::notice",
        "::error",
    ]
    assert lines[0] == (
        "::error file=src/ascend/moe.py,line=41,col=5,title=vllm%3A breaks (parameter-removed)::"
        "FusedMoEMethodBase.apply() no longer takes router, which this override requires (and 4 more)"
        " — dc917cceb8 #31996 [MoE Refactor] Move `select_experts` from `FusedMoEQuantMethod` -> `FusedMoE`"
        " — Fix: rewrite override_parameter_removed"
    )


def test_nothing_found_is_said(quiet: Report) -> None:
    assert (
        render(quiet, "github")
        == "::notice::Nothing in 33 commits breaks the backend. 1 file was not analysed.\n"
    )


def test_a_message_cannot_give_commands() -> None:
    hostile = impact(
        message="100% x\n::set-output name=a::b\r::stop-commands::t",
        locations=(Location("a,line=9::b:c.py", 3),),
    )
    (line,) = render(day((hostile,)), "github").splitlines()
    assert line.startswith("::error file=a%2Cline=9%3A%3Ab%3Ac.py,line=3,")
    assert "::100%25 x ::set-output name=a::b ::stop-commands::t" in line


@given(REPORTS)
def test_any_report_is_one_line_an_impact(report: Report) -> None:
    text = render(report, "github")
    shown = [i for i in report.impacts if i.verdict is not Verdict.NONE]
    assert len(text.splitlines()) == max(1, len(shown))
    assert all(line.startswith("::") for line in text.splitlines())
