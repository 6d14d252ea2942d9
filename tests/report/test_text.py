from __future__ import annotations

import os
import pty
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

from hypothesis import given
from rich.text import Text

from syncbot.impact.model import Location, Verdict
from syncbot.report.catalogue import words
from syncbot.report.formats import render
from syncbot.report.formats.text import as_text
from syncbot.report.model import Commands, Report

from .conftest import day, impact
from .test_json import REPORTS


def test_what_breaks_comes_first_with_place_reason_commit_and_fix(report: Report) -> None:
    lines = render(report, "text").splitlines()
    assert (
        lines[0]
        == "vllm ff365eea94..1cb4341fbc: 1 of 33 commits breaks 5 lines of the backend. 1 file was not analysed."
    )
    assert lines[2] == (
        "dc917cceb8 #31996 [MoE Refactor] Move `select_experts` from `FusedMoEQuantMethod` -> `FusedMoE`"
    )
    reason = "FusedMoEMethodBase.apply() no longer takes router, which this override requires"
    assert lines[3:9] == [
        "  src/ascend/moe.py:41",
        f"    - {reason}",
        "      + src/ascend/moe.py:90, 95, 99, 120",
        "      fix: rewrite override_parameter_removed",
        "    - FusedMoERouter | `capture` of @router is gone",
        "      fix: needs an author",
    ]
    assert "  src/ascend/worker.py:7: ProfilerConfig has new fields  [3a63be0faa #32393]" in lines
    assert "in the backend's tests and examples (1)" in lines
    assert lines[-3:] == [
        "33 commits: 4 high, 15 medium, 14 low importance; 2 breaks, 1 at risk, 1 drift",
        "",
        "Broken: 5 lines in 1 file; 1 of 2 breaks can be rewritten.",
    ]


def test_harmless_impacts_are_not_mentioned(report: Report) -> None:
    assert "looked at and harmless" not in render(report, "text")


def test_the_last_line_names_the_command_and_a_quiet_report_has_none(report: Report, quiet: Report) -> None:
    known = replace(report, commands=Commands(mending="syncbot migrate --from 1.0 --to 2.0"))
    last = render(known, "text").splitlines()[-1]
    assert last.endswith("1 of 2 breaks can be rewritten: syncbot migrate --from 1.0 --to 2.0")
    assert "rewritten" not in render(replace(quiet, commands=Commands(mending="syncbot migrate")), "text")


def test_a_quiet_day_names_what_is_important_upstream_and_counts_the_rest(quiet: Report) -> None:
    text = render(quiet, "text")
    assert text.startswith(
        "vllm ff365eea94..1cb4341fbc: Nothing in 33 commits breaks the backend. 1 file was not analysed.\n"
    )
    assert "of high importance upstream (4)" in text
    assert "Add .cursor to .gitignore" not in text


def test_hundreds_of_commits_fit_one_screen(quiet: Report) -> None:
    many = tuple(replace(c, sha=f"{n:040x}") for n in range(20) for c in quiet.commits)
    drift = tuple(
        impact(Verdict.DRIFT, id=str(n), locations=(Location("a.py", n + 1),), message="copied")
        for n in range(50)
    )
    text = render(replace(quiet, commits=many, impacts=drift), "text")
    assert len(text.splitlines()) < 25
    assert "  and 40 more" in text
    assert text.splitlines()[-1].startswith("660 commits: 80 high, 300 medium, 280 low importance; 50 drifts")


def test_an_empty_range_says_so(quiet: Report) -> None:
    empty = replace(quiet, commits=(), unanalysed=())
    assert render(empty, "text").splitlines()[0] == (
        "vllm ff365eea94..1cb4341fbc: No commits between ff365eea94 and 1cb4341fbc."
    )


def test_a_break_of_no_known_commit(quiet: Report) -> None:
    text = render(replace(quiet, impacts=(impact(commit="", pr=None),)), "text")
    assert "1 line of the backend broken." in text
    assert "\nno single commit\n" in text


def test_a_hostile_subject_cannot_drive_the_terminal() -> None:
    report = day((impact(message="\x1b]0;owned\x07 \x1b[2J\u202egnp.exe\nnext line"),))
    bad = replace(report.commits[0], subject="\x1b[31mred\rgone [bold]not markup[/bold]", level="high")
    text = render(replace(report, commits=(bad, *report.commits[1:])), "text")
    assert not set(text) & {"\x1b", "\x07", "\r", "\u202e"}
    assert "[bold]not markup[/bold]" in text


@given(REPORTS)
def test_any_report_is_text_without_control_characters(report: Report) -> None:
    for language in ("en", "zh"):
        text = render(report, "text", language)
        assert not [c for c in text if c != "\n" and (ord(c) < 32 or 127 <= ord(c) < 160)]


def test_colours_are_there_for_a_terminal_only(report: Report, tmp_path: Path) -> None:
    """Both ways through real streams: a pseudo-terminal, and a pipe."""
    assert isinstance(as_text([report], words("en")), Text)
    program = (
        "from report.conftest import day\n"
        "from syncbot.report.formats import write\n"
        f"from pathlib import Path\nwrite(day(), 'text', 'en', Path({str(tmp_path / 'out')!r}))\n"
        "write(day(), 'text')\n"
    )
    root = Path(__file__).parents[2]
    kept = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE")}
    env = kept | {"PYTHONPATH": f"{root}:{root / 'tests'}", "TERM": "xterm-256color"}
    piped = subprocess.run(
        [sys.executable, "-c", program], env=env, capture_output=True, check=True, text=True, encoding="utf-8"
    )
    assert piped.stdout == render(report, "text")
    ours, theirs = pty.openpty()
    with subprocess.Popen([sys.executable, "-c", program], env=env, stdout=theirs) as process:
        os.close(theirs)
        shown = b""
        try:
            while part := os.read(ours, 65536):
                shown += part
        except OSError:  # Linux says EIO once the other side is closed
            pass
        assert process.wait() == 0
    os.close(ours)
    assert b"\x1b[1;31m" in shown
    assert (tmp_path / "out").read_text(encoding="utf-8") == render(report, "text")


def test_of_one_line_at_risk_three_sentences_are_shown_and_the_rest_is_counted(quiet: Report) -> None:
    risks = [
        impact(
            Verdict.AT_RISK, id=name, message=f"lib.Base.{name} is gone", locations=(Location("ours.py", 7),)
        )
        for name in "abcdef"
    ]
    told = render(replace(quiet, impacts=tuple(risks)), "text")
    assert sum(f"lib.Base.{name}" in told for name in "abcdef") == 3
    assert "    - and 3 more" in told
    four = render(replace(quiet, impacts=tuple(risks[:4])), "text")
    assert sum(f"lib.Base.{name}" in four for name in "abcdef") == 4
    assert "more" not in four
