"""Evidence for a break, in Markdown and HTML: each difference once, folded, and harmless."""

from __future__ import annotations

import json
from dataclasses import replace

import cmarkgfm
from bs4 import BeautifulSoup
from cmarkgfm.cmark import Options

from syncbot.impact.model import Fix, Location, Verdict
from syncbot.report.evidence import evidence
from syncbot.report.formats import render
from syncbot.report.from_json import parse
from syncbot.report.model import Report

from .conftest import day, impact

FILE = "src/ascend/moe.py"
LINES = [f"line_{n} = {n}" for n in range(1, 60)]
OURS = "\n".join(LINES) + "\n"
EDITED = OURS.replace("line_5 = 5\n", "line_5 = 50\n").replace("line_40 = 40\n", "line_40 = 400\n")
HUNK = "--- a.b\n+++ a.b\n@@ -1 +1 @@\n-old\n+new"
REWRITE = Fix("call_changed", {})


def broken(id: str, line: int, **given: object) -> Report:
    return day((impact(id=id, locations=(Location(FILE, line),), upstream_hunk=HUNK, fix=REWRITE, **given),))


def with_evidence(report: Report) -> Report:
    found = evidence(report.impacts, {FILE: OURS.encode()}, {FILE: EDITED})
    return replace(report, evidence=found)


def test_our_lines_and_the_edit_beside_them() -> None:
    found = with_evidence(broken("a", 5)).evidence["a"]
    assert [each.text for each in found.ours] == [
        "line_4 = 4\nline_5 = 5\nline_6 = 6\nline_7 = 7\nline_8 = 8"
    ]
    assert "+line_5 = 50" in found.edit
    assert "line_40" not in found.edit


def test_programs_get_it_as_fields_and_give_it_back() -> None:
    report = with_evidence(broken("a", 5))
    text = render(report, "json")
    (found,) = json.loads(text)["impacts"]
    assert found["upstream_hunk"] == HUNK
    assert found["our_lines"] == [
        {
            "file": FILE,
            "line": 5,
            "column": 1,
            "text": "line_4 = 4\nline_5 = 5\nline_6 = 6\nline_7 = 7\nline_8 = 8",
        }
    ]
    assert "+line_5 = 50" in found["edit"]
    (again,) = parse(text.encode(), "report.json")
    assert again.evidence == report.evidence
    (harmless,) = json.loads(render(day((impact(Verdict.AT_RISK, id="a"),)), "json"))["impacts"]
    assert (harmless["our_lines"], harmless["edit"]) == ([], "")


def test_an_edit_elsewhere_is_shown_where_none_is_near() -> None:
    assert "+line_40 = 400" in with_evidence(broken("a", 22)).evidence["a"].edit


def test_a_form_feed_ends_no_line() -> None:
    """Python counts lines without it."""
    ours, edited = (text.replace("line_2 = 2", "line_2 = 2\x0c\u2028") for text in (OURS, EDITED))
    found = evidence(broken("a", 5).impacts, {FILE: ours.encode()}, {FILE: edited})["a"]
    assert found.ours[0].text.startswith("line_4 = 4\nline_5 = 5\n")
    assert "@@ -3,5 +3,5 @@" in found.edit


def test_the_name_of_a_file_is_one_line_of_an_edit() -> None:
    """In the log of a workflow the second line would be a command."""
    name = "a\n::error::b.py"
    impacts = (replace(broken("a", 5).impacts[0], locations=(Location(name, 5),)),)
    found = evidence(impacts, {name: OURS.encode()}, {name: EDITED})["a"]
    assert found.edit.splitlines()[0] == "--- a ::error::b.py"


def test_what_no_rewrite_mends_has_no_edit_and_what_is_harmless_no_evidence() -> None:
    report = broken("a", 5)
    unmended = replace(report, impacts=(replace(report.impacts[0], fix=None),))
    assert with_evidence(unmended).evidence["a"].edit == ""
    assert with_evidence(day((impact(Verdict.AT_RISK, id="a"),))).evidence["a"].ours != ()
    assert with_evidence(day((impact(Verdict.NONE, id="a"),))).evidence == {}


def test_one_change_of_upstream_is_shown_once() -> None:
    places = (("a", 5), ("b", 6), ("c", 6))
    report = with_evidence(day(tuple(broken(id, line).impacts[0] for id, line in places)))
    for style in ("markdown", "html"):
        text = render(report, style)
        assert text.count("@@ -1 +1 @@") == 1
        assert text.count("+line_5 = 50") == 1
        # What an edit shows is not shown beside it.
        assert text.count("Our lines:") == (style == "markdown")
        assert BeautifulSoup(text, "html.parser").find("details") is not None


def test_neither_a_fence_nor_markup_in_code_takes_effect() -> None:
    evil = "````\n</details><img src=x>\x1b[2J @octocat"
    report = broken("a", 5)
    report = replace(report, impacts=(replace(report.impacts[0], upstream_hunk=evil),))
    text = render(report, "markdown")
    html = cmarkgfm.github_flavored_markdown_to_html(text, options=Options.CMARK_OPT_UNSAFE)
    for page in (html, render(report, "html")):
        soup = BeautifulSoup(page, "html.parser")
        assert not soup.find_all("img")
        assert "<img src=x>\\x1b[2J @octocat" in soup.find("details").find("pre").get_text()
