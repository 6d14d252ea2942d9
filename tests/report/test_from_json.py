from __future__ import annotations

import json
from dataclasses import replace
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from syncbot.errors import ConfigurationError
from syncbot.impact.facts.model import Change, Facts
from syncbot.impact.model import Location
from syncbot.report.advice import Advice, Mention
from syncbot.report.formats import render
from syncbot.report.from_json import parse
from syncbot.report.model import Report

from .test_json import REPORTS

ZONE = ZoneInfo("Asia/Shanghai")

TEXTS = st.none() | st.text()
CHANGES = st.builds(
    Change,
    kind=st.sampled_from(["signature", "module-moved", "environment-changed", "class-removed"]),
    symbol=st.text(),
    file=st.text(),
    before=TEXTS,
    after=TEXTS,
    parts=st.lists(st.tuples(st.sampled_from(["removed", "optional"]), st.text()), max_size=2).map(tuple),
    users=st.lists(st.text(), max_size=2).map(tuple),
    kept=st.booleans(),
)


def again(report: Report) -> Report:
    [found] = parse(render(report, "json").encode(), "report.json", ZONE)
    return found


@given(REPORTS)
def test_what_is_read_and_written_again_is_the_same(report: Report) -> None:
    assert render(again(report), "json") == render(report, "json")


@given(st.none() | st.lists(CHANGES, max_size=3))
def test_facts_mentions_and_advice_come_back(changes: list[Change] | None) -> None:
    from .conftest import day

    report = day()
    first = replace(
        report.commits[0],
        facts=None if changes is None else Facts(tuple(changes)),
        mentions=(Mention("ENGINE_X", Location("src/a.py", 3, 7)),),
        advice=(Advice("verify", "syncbot verify --lane v1 --static", "v1"),),
    )
    found = again(replace(report, commits=(first, *report.commits[1:]))).commits[0]
    assert (found.facts, found.mentions, found.advice) == (first.facts, first.mentions, first.advice)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_real_day_looks_the_same_when_it_is_read_again(report: Report, language: str) -> None:
    """Files that were renamed left out: a report names both paths, and not which belong together."""
    plain = tuple(commit for commit in report.commits if not commit.renamed)
    assert 25 < len(plain) < len(report.commits)
    report = replace(report, commits=plain)
    assert render(again(report), "html", language) == render(report, "html", language)


def test_several_upstreams(report: Report) -> None:
    other = replace(report, upstream="other")
    text = render((report, other), "json")
    assert [found.upstream for found in parse(text.encode(), "reports.json", ZONE)] == ["vllm", "other"]


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        (b"", "truncated"),
        (b"[]", "Expected `object`"),
        (b"\xff", "malformed"),
        (b"{}", "missing required field"),
        (b'{"schema": 2, "reports": []}', "Invalid enum value 2"),
        (b'{"version": "2.1.0", "runs": []}', "missing required field"),
    ],
)
def test_what_is_no_report_is_refused_in_one_line(text: bytes, wrong: str) -> None:
    with pytest.raises(ConfigurationError, match=wrong) as caught:
        parse(text, "a/report.json")
    assert str(caught.value).startswith("a/report.json is no report of syncbot: ")
    assert "\n" not in str(caught.value)


def test_a_commit_without_a_needed_field_is_refused(report: Report) -> None:
    document = json.loads(render(report, "json"))
    del document["commits"][3]["sha"]
    with pytest.raises(ConfigurationError, match=r"field `sha`.*\$\.commits\[3\]|\$\.commits\[3\]"):
        parse(json.dumps(document).encode(), "report.json")


def test_an_impact_whose_details_are_of_another_kind_is_refused(report: Report) -> None:
    document = json.loads(render(report, "json"))
    document["impacts"][0] |= {"kind": "attribute-added", "details": {"family": "none"}}
    with pytest.raises(ConfigurationError, match="attribute-added does not carry NoDetails"):
        parse(json.dumps(document).encode(), "report.json")
