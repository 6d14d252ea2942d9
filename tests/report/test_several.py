"""Reports on several upstreams in one text."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import replace

import cmarkgfm
import jsonschema
import pytest
from bs4 import BeautifulSoup
from cmarkgfm.cmark import Options
from referencing import Registry, Resource

from syncbot.report.formats import formats, render
from syncbot.report.model import Report

from .test_json import SCHEMAS, valid
from .test_sarif import valid as valid_sarif


@pytest.fixture
def both(report: Report) -> tuple[Report, Report]:
    return report, replace(report, upstream="torch_npu", web=None, impacts=(), commits=report.commits[:2])


def test_json_holds_each_as_it_is_alone(both: tuple[Report, Report]) -> None:
    document = json.loads(render(both, "json"))
    schemas = {
        name: json.loads((SCHEMAS / name).read_text(encoding="utf-8"))
        for name in ("report.json", "reports.json")
    }
    registry = Registry().with_resources((name, Resource.from_contents(s)) for name, s in schemas.items())
    jsonschema.Draft202012Validator(schemas["reports.json"], registry=registry).validate(document)
    assert document["reports"] == [json.loads(render(one, "json")) for one in both]
    for one in document["reports"]:
        valid(one)


def test_every_anchor_of_both_is_there_once(both: tuple[Report, Report]) -> None:
    text = render(both, "markdown")
    html = cmarkgfm.github_flavored_markdown_to_html(text, options=Options.CMARK_OPT_UNSAFE)
    soup = BeautifulSoup(html, "html.parser")
    targets = [a["href"][1:] for a in soup.find_all("a", href=re.compile("^#"))]
    names = Counter(a["name"] for a in soup.find_all("a", attrs={"name": True}))
    assert targets[:2] == ["upstream-1", "upstream-2"]
    assert set(targets) == set(names)
    assert set(names.values()) == {1}
    # GitHub gives headings anchors of their own: lower case, punctuation dropped, spaces to dashes.
    slugs = {
        re.sub(r"[^\w\- ]", "", h.get_text().strip().lower()).replace(" ", "-")
        for h in soup.find_all(re.compile("h[1-6]"))
    }
    assert not slugs & set(names)
    assert [h.get_text() for h in soup.find_all("h1")] == ["Daily report (2026-01-23)"]


def test_sarif_has_a_run_for_each(both: tuple[Report, Report]) -> None:
    log = json.loads(render(both, "sarif"))
    valid_sarif(log)
    assert [run["automationDetails"]["id"] for run in log["runs"]] == ["syncbot/vllm/", "syncbot/torch_npu/"]


def test_annotations_and_text_say_something_of_each(both: tuple[Report, Report]) -> None:
    assert (
        "::notice::Nothing in 2 commits breaks the backend. 1 file was not analysed."
        in render(both, "github").splitlines()
    )
    text = render(both, "text")
    assert text.startswith("vllm ff365eea94..")
    assert "\ntorch_npu ff365eea94..1cb4341fbc: Nothing" in text


def test_one_page_for_all(both: tuple[Report, Report]) -> None:
    soup = BeautifulSoup(render(both, "html"), "html.parser")
    assert [s.find("h2").get_text() for s in soup.find_all("section")] == ["vllm", "torch_npu"]


@pytest.mark.parametrize("name", formats())
def test_a_list_of_one_is_that_one(report: Report, name: str) -> None:
    assert render([report], name) == render(report, name)


def test_paths_are_those_of_the_repository(report: Report) -> None:
    below = replace(report, folder="plug in/")
    (run,) = json.loads(render(below, "sarif"))["runs"]
    assert (
        run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        == "plug%20in/src/ascend/moe.py"
    )
    assert render(below, "github").startswith("::error file=plug in/src/ascend/moe.py,line=41,")
    assert json.loads(render(below, "json")) == json.loads(render(report, "json"))


@pytest.mark.parametrize("style", formats())
def test_commits_on_no_web_page_are_no_links(both: tuple[Report, Report], style: str) -> None:
    """Such as those that stand for releases."""
    text = render([replace(report, web=None) for report in both], style)
    assert "/commit/" not in text
    assert ("/commit/" in render(both, style)) == (style in ("markdown", "html", "upgrade"))
