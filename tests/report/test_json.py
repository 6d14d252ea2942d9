from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from syncbot.contracts.changes import AnyDetails, ArgumentDetails, ChangeKind
from syncbot.contracts.grounds import Ground
from syncbot.impact.commit_messages import TYPES
from syncbot.impact.importance import LEVELS
from syncbot.impact.model import Fix, Impact, Location, Verdict
from syncbot.report.formats import render
from syncbot.report.model import SCHEMA, Report, ReportCommit

from .conftest import ROUTING

SCHEMAS = Path(__file__).parents[2] / "docs" / "schemas"


@cache
def validator() -> jsonschema.Draft202012Validator:
    schema = json.loads((SCHEMAS / "report.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


# Once, and here: the time that it takes is none of the first example that hypothesis makes up.
validator()


def valid(document: Any) -> None:
    validator().validate(document)


def test_a_real_day_is_as_documented(report: Report) -> None:
    document = json.loads(render(report, "json"))
    valid(document)
    assert document["upstream"]["to"] == "1cb4341fbcca4e58fa1ac5c1d55691eff16bf52b"
    assert document["upstream"]["from_name"] == "ff365eea94"
    assert len(document["commits"]) == 33
    first = document["commits"][0]
    assert (first["pr"], first["date"], first["author"]) == (32939, "2026-01-23T15:59:04Z", "Mark McLoughlin")
    routing = next(c for c in document["commits"] if c["sha"] == ROUTING)
    assert (routing["level"], routing["added"], routing["removed"]) == ("high", 483, 514)
    breaks = document["impacts"][0]
    assert breaks["verdict"] == "breaks"
    assert breaks["locations"][1] == {"file": "src/ascend/moe.py", "line": 90, "column": 5}
    assert list(breaks["fix"]["arguments"]) == ["class", "method"]


def test_the_schema_refuses_what_is_not_documented(report: Report) -> None:
    document = json.loads(render(report, "json"))
    wrong = [
        document | {"extra": 1},
        document | {"commits": [document["commits"][0] | {"level": "huge"}]},
        document | {"impacts": [document["impacts"][0] | {"locations": []}]},
        document | {"impacts": [document["impacts"][0] | {"commit": "dc917cc"}]},
    ]
    for broken in wrong:
        with pytest.raises(jsonschema.ValidationError):
            valid(broken)


def test_the_time_zone_does_not_change_it(report: Report) -> None:
    elsewhere = tuple(replace(c, date=c.date.astimezone(UTC)) for c in report.commits)
    assert render(replace(report, commits=elsewhere), "json") == render(report, "json", "zh")


def test_no_commits(report: Report) -> None:
    document = json.loads(render(replace(report, commits=(), impacts=(), old_name="", web=None), "json"))
    valid(document)
    assert (document["commits"], document["upstream"]["from_name"]) == ([], None)


SHAS = st.text("0123456789abcdef", min_size=40, max_size=40)
NUMBERS = st.none() | st.integers(0, 99999)
COMMITS = st.builds(
    ReportCommit,
    sha=SHAS,
    pr=NUMBERS,
    date=st.datetimes(datetime(2000, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC)),
    author=st.text(),
    subject=st.text(),
    level=st.sampled_from(LEVELS),
    types=st.lists(st.sampled_from(TYPES), min_size=1, unique=True).map(tuple),
    files=st.sets(st.text()).map(sorted).map(tuple),
    body=st.text(),
    added=NUMBERS,
    removed=NUMBERS,
)
IMPACTS = st.builds(
    Impact,
    id=st.text(min_size=1),
    commit=SHAS | st.just(""),
    pr=NUMBERS,
    symbol=st.text(),
    kind=st.sampled_from([kind for kind in ChangeKind if ArgumentDetails in kind.families]),
    verdict=st.sampled_from(Verdict),
    locations=st.lists(
        st.builds(Location, st.text(min_size=1), st.integers(1, 9999), st.integers(1, 200)), min_size=1
    ).map(tuple),
    message=st.text(),
    fix=st.none() | st.builds(Fix, st.text(min_size=1), st.dictionaries(st.text(), st.text())),
    confidence=st.floats(0, 1),
    tests_only=st.booleans(),
    upstream_hunk=st.text(),
    details=st.builds(
        ArgumentDetails, argument=st.text(), new_name=st.none() | st.text(), value=st.none() | st.text()
    ),
    contract=st.text(),
    classes=st.lists(st.text()).map(tuple),
    ground=st.none() | st.sampled_from(Ground),
)
REPORTS = st.builds(
    Report,
    schema=st.just(SCHEMA),
    upstream=st.text(),
    old=SHAS,
    new=SHAS,
    commits=st.lists(COMMITS, max_size=4).map(tuple),
    impacts=st.lists(IMPACTS, max_size=4).map(tuple),
    unanalysed=st.lists(st.tuples(st.text(), st.text()), max_size=2).map(tuple),
    old_name=st.text(),
    new_name=st.text(),
    web=st.none() | st.just("https://example.com/a/b"),
)


@given(REPORTS)
def test_every_report_comes_back_whole(report: Report) -> None:
    document = json.loads(render(report, "json"))
    valid(document)
    assert [c["subject"] for c in document["commits"]] == [c.subject for c in report.commits]
    assert [c["files"] for c in document["commits"]] == [list(c.files) for c in report.commits]
    assert [datetime.fromisoformat(c["date"]) for c in document["commits"]] == [
        c.date for c in report.commits
    ]
    places = [[Location(**place) for place in i["locations"]] for i in document["impacts"]]
    assert places == [list(i.locations) for i in report.impacts]
    fixes = [i["fix"] and msgspec.convert(i["fix"], Fix) for i in document["impacts"]]
    assert fixes == [i.fix for i in report.impacts]
    assert [(i["verdict"], msgspec.convert(i["details"], AnyDetails)) for i in document["impacts"]] == [
        (i.verdict, i.details) for i in report.impacts
    ]


def test_the_schema_has_the_kinds_and_the_families_of_details() -> None:
    schema = json.loads((SCHEMAS / "report.json").read_text(encoding="utf-8"))
    impact = schema["properties"]["impacts"]["items"]["properties"]
    assert impact["kind"]["enum"] == list(ChangeKind)
    (shape,), families = msgspec.json.schema_components([AnyDetails], ref_template="#/$defs/{name}")
    assert {name: impact["details"][name] for name in shape} == shape
    assert schema["$defs"] == families
