"""Where releases are followed, each is told by its version and its day, in every format and language."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from bs4 import BeautifulSoup

from syncbot.impact.analysis import Analysis
from syncbot.impact.model import Impact, Location, Verdict
from syncbot.report.build import build
from syncbot.report.catalogue import languages
from syncbot.report.formats import formats, render
from syncbot.report.from_json import parse
from syncbot.report.model import Report
from syncbot.upstream.commit_range import Span
from syncbot.upstream.model import Commit

from .conftest import impact
from .test_json import valid

OLD = "0" * 40
SHAS = {version: f"{n}" * 40 for n, version in enumerate(("0.31.0", "0.32.0", "0.33.0"), 1)}


def released(version: str) -> Commit:
    date = datetime(2026, 5, int(SHAS[version][0]), 12, tzinfo=UTC)
    return Commit(SHAS[version], (OLD,), date, "vllm", f"vllm {version}", "", None, ())


def report(versions: Sequence[str], impacts: tuple[Impact, ...]) -> Report:
    commits = tuple(map(released, reversed(versions)))
    span = Span(OLD, commits[0].sha if commits else OLD, commits)
    ends = ("v0.30.0", f"v{versions[-1]}" if versions else "v0.30.0")
    tags = {sha: f"v{version}" for version, sha in SHAS.items()}
    made = build("vllm", ends, Analysis(span, impacts, ()), impacts, zone=UTC, releases=tags)
    return replace(made, dated=False)


def broken(version: str, *lines: int, id: str = "a", verdict: Verdict = Verdict.BREAKS) -> Impact:
    places = tuple(Location("src/a.py", line) for line in lines)
    return impact(verdict, id=id, commit=SHAS[version], pr=None, locations=places, message=f"{id} is gone")


THREE = report(
    ("0.31.0", "0.32.0", "0.33.0"),
    (broken("0.33.0", 3, 9), broken("0.31.0", 5, id="b", verdict=Verdict.AT_RISK)),
)
ONE = report(("0.33.0",), (broken("0.33.0", 3, 9),))


def test_the_text_has_a_block_for_each_release() -> None:
    lines = render(THREE, "text").splitlines()
    assert lines[0] == "vllm 0.30.0 to 0.33.0: 1 of 3 releases breaks 2 lines of the backend."
    assert [line for line in lines if line.startswith("vllm 0.3")][1:] == [
        "vllm 0.33.0 (2026-05-03): breaks 2 lines",
        "vllm 0.32.0 (2026-05-02): breaks nothing",
        "vllm 0.31.0 (2026-05-01): 1 at risk",
    ]
    assert "  src/a.py:5: b is gone  [0.31.0]" in lines
    assert "3 releases: 1 break, 1 at risk" in lines


def test_one_release_is_called_by_its_name() -> None:
    assert render(ONE, "text").startswith(
        "vllm 0.30.0 to 0.33.0: 0.33.0 breaks 2 lines of the backend.\n\nvllm 0.33.0 (2026-05-03): breaks 2 lines\n"
    )
    quiet = render(report(("0.33.0",), ()), "text")
    assert quiet.startswith("vllm 0.30.0 to 0.33.0: Nothing in 0.33.0 breaks the backend.\n")
    assert "No releases between 0.30.0 and 0.30.0." in render(report((), ()), "text")


def test_markdown_and_html_are_headed_by_what_was_asked() -> None:
    markdown = render(THREE, "markdown").splitlines()
    assert markdown[0] == "# vllm 0.30.0 to 0.33.0"
    assert "### vllm 0.33.0 (2026-05-03)" in markdown
    assert "| [vllm 0.32.0 (2026-05-02)](#commit-222222222222) | breaks nothing |" in markdown
    soup = BeautifulSoup(render(THREE, "html"), "html.parser")
    assert [soup.find("h1").get_text(), soup.find("h3").get_text()] == [
        "vllm 0.30.0 to 0.33.0",
        "vllm 0.33.0 (2026-05-03)",
    ]
    dated = replace(ONE, dated=True)
    assert render(dated, "markdown").splitlines()[0] == "# vllm 0.33.0 (2026-05-03)"


@pytest.mark.parametrize("language", languages())
@pytest.mark.parametrize("style", sorted(set(formats()) - {"json", "sarif"}))
def test_no_format_shows_a_hash_of_ours(style: str, language: str) -> None:
    text = render(THREE, style, language)
    assert SHAS["0.33.0"][:10] not in text.replace(f"commit-{SHAS['0.33.0'][:12]}", "")
    assert "0.33.0" in text


def test_programs_get_the_version_beside_the_hash() -> None:
    document = json.loads(render(THREE, "json"))
    valid(document)
    assert document["upstream"]["kind"] == "release"
    assert [commit["release"] for commit in document["commits"]] == ["0.33.0", "0.32.0", "0.31.0"]
    (again,) = parse(render(THREE, "json").encode(), "report.json", UTC)
    assert render(replace(again, dated=False), "text") == render(THREE, "text")
    (run,) = json.loads(render(THREE, "sarif"))["runs"]
    assert run["results"][0]["message"]["text"].startswith("a is gone (vllm 0.33.0 (2026-05-03)).")
    assert run["results"][0]["properties"]["release"] == "0.33.0"


def test_a_commit_that_only_names_a_version_is_no_release(quiet: Report) -> None:
    commit = replace(quiet.commits[0], subject="vllm 0.33.0")
    text = render(replace(quiet, commits=(commit,), dated=False), "text")
    assert "Nothing in 1 commit breaks the backend." in text
    assert render(quiet, "markdown").startswith("# Daily report (2026-01-23)")
    asked = replace(quiet, old_name="v1", new_name="v2", dated=False)
    assert render(asked, "markdown").startswith("# vllm v1 to v2")
