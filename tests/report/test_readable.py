"""A reader of a report reads each thing once, and learns where the rest is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from syncbot.contracts.coverage import Coverage
from syncbot.impact.model import Location, Verdict
from syncbot.report.evidence import Evidence, Excerpt
from syncbot.report.formats import render
from syncbot.report.model import Commands, Report
from syncbot.report.short_hunk import short_hunk
from syncbot.workflows.check import fails
from syncbot.workflows.further_commands import unjudged_list, whole_report

from .conftest import day, impact

WHOLE = "syncbot check --from v1 --to v2 --backend ../a --format markdown"
HERE = Location("src/a.py", 7, 5)


def test_findings_on_one_line_of_ours_are_one_block() -> None:
    found = tuple(impact(id=id, locations=(HERE,), message=f"{id} is gone") for id in ("a1", "b2"))
    other = impact(id="c3", locations=(Location("src/a.py", 8, 5),), message="c3 is gone")
    evidence = {"a1": Evidence((Excerpt(HERE, "import x\n    call(a, b)\n"),))}
    text = render(replace(day((*found, other)), evidence=evidence), "text").splitlines()
    at = text.index("  src/a.py:7: call(a, b)")
    assert text[at : at + 6] == [
        "  src/a.py:7: call(a, b)",
        "    - a1 is gone",
        "    - b2 is gone",
        # Both have it.
        "      fix: needs an author",
        "  src/a.py:8: c3 is gone",
        "    fix: needs an author",
    ]


def test_what_is_cut_says_how_to_see_the_rest(quiet: Report) -> None:
    many = tuple(
        impact(Verdict.AT_RISK, id=f"i{n}", locations=(Location("a.py", n + 1),), message="odd")
        for n in range(34)
    )
    shown = render(replace(quiet, impacts=many, commands=Commands(whole=WHOLE)), "text")
    assert f"  and 24 more: {WHOLE}" in shown.splitlines()
    assert "more" not in render(replace(quiet, impacts=many[:11], unanalysed=()), "text")


def test_the_commands_are_those_that_were_asked_for() -> None:
    ends = ("v1", "v 2")
    assert whole_report(Path("../a"), "engine", None, ends, None, ("contracts",)) == (
        "syncbot check --from v1 --to 'v 2' --upstream engine --backend ../a --engine contracts --format markdown"
    )
    since = ("last-report", None)
    assert whole_report(Path(), None, since, ends, "releases", ()) == (
        "syncbot check --since yesterday --by releases --format markdown"
    )
    assert unjudged_list(Path("a"), None, "v1") == "syncbot contracts a --unjudged --at v1"


def test_what_could_not_be_judged_is_one_sentence_or_none(quiet: Report) -> None:
    known = replace(quiet, commands=Commands(unjudged="syncbot contracts --unjudged --at v1"))
    said = (
        "The report leaves out 1 object that the backend uses and 2 names that it imports: "
        "the sources do not show what they are. To see them: syncbot contracts --unjudged --at v1"
    )
    for style in ("text", "html", "github"):
        assert said in render(replace(known, coverage=Coverage(5, 5, 9, 1, 2)), style)
        assert "has no changes" not in render(replace(known, coverage=Coverage(5, 5, 9, 0, 0)), style)


def test_an_upstream_that_was_named_may_be_used_in_few_files(quiet: Report) -> None:
    few = replace(quiet, coverage=Coverage(746, 9, 40, 0, 0))
    assert fails((few,), "breaks")
    assert "is it the right upstream" in render(few, "text").splitlines()[0]
    named = replace(few, is_named=True)
    assert not fails((named,), "breaks")
    assert (
        "9 of 746 files use vllm, as far as can be seen. Nothing in" in render(named, "text").splitlines()[0]
    )
    assert "::error::" not in render(named, "github")
    # What nothing uses was not compared, whoever named it.
    assert fails((replace(named, coverage=Coverage(746, 0, 0, 0, 0)),), "breaks")
    assert not fails((few,), "never")


def test_a_removed_module_is_one_line_of_evidence() -> None:
    hunk = "\n".join(
        ["--- pkg.old", "+++ pkg.old", "@@ -1,834 +0,0 @@", *["-# licence"] * 37, "… 797 more lines"]
    )
    text = render(day((impact(symbol="pkg.old", upstream_hunk=hunk),)), "markdown")
    (told,) = [line for line in text.splitlines() if "is removed by" in line]
    assert told.startswith("Upstream's change: pkg.old is removed by dc917cceb8")
    assert told.endswith(", 834 lines")
    assert "licence" not in text
    kept = hunk.replace("+0,0", "+1,2")
    assert "licence" in render(day((impact(symbol="pkg.old", upstream_hunk=kept),)), "markdown")


def test_a_long_difference_is_cut_to_what_concerns_us() -> None:
    body = [f" line {n}" for n in range(60)]
    body[40] = "+    randomize: bool = False,"
    hunk = "\n".join(["--- a.f", "+++ a.f", "@@ -1,60 +1,60 @@", *body])
    shown = short_hunk(hunk, {"randomize"}).splitlines()
    assert shown == [
        "--- a.f",
        "+++ a.f",
        "@@ … @@",
        " line 38",
        " line 39",
        body[40],
        " line 41",
        " line 42",
    ]
    # Nothing names it: the beginning.
    assert short_hunk(hunk, {"random"}).splitlines()[-1] == " line 12"
    assert short_hunk("\n".join(body[:5]), {"x"}) == "\n".join(body[:5])
