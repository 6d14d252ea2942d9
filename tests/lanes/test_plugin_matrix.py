"""The matrix of a plugin's releases: which there are, what is written of a check, and what is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from syncbot.errors import ConfigurationError, UsageError
from syncbot.lanes import plugin_matrix
from syncbot.lanes.dependence import Present
from syncbot.lanes.evidence import Evidence
from syncbot.lanes.plugin_matrix import PluginMatrix

TEXT = """\
schema_version: 1
upstream: tiny
releases:
- {tag: v1.0, wheel: '1.0', python: '>=3.11', upstream: '1.5', stack: {tinydep: '2', tinytool: null}}
- {tag: v1.1, wheel: '1.1', python: '>=3.11', upstream: '1.6', simulated_with: {tinydep: '3'}, stack: {tinydep: '2'}}
"""

CODE = Present(published="s", environment="e")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    file = tmp_path / "plugin_matrix.yaml"
    file.write_text(TEXT)
    return file


@pytest.fixture
def matrix(file: Path) -> PluginMatrix:
    return plugin_matrix.load(file)


def said(status: str, date: str, present: Present = CODE) -> Evidence:
    text = {
        "status": status,
        "command": "run",
        "date": date,
        "digest": present.digest(None, "e"),
        "environment": "e",
    }
    return Evidence.model_validate(text)


def test_a_release_is_found_by_its_tag_and_by_its_version(matrix: PluginMatrix) -> None:
    assert matrix.release("1.1") is matrix.release("v1.1") is matrix.releases[1]
    with pytest.raises(UsageError, match=r"no release '1\.2' in the plugin's matrix; it has v1\.0, v1\.1"):
        matrix.release("1.2")
    with pytest.raises(UsageError, match="it has none"):
        PluginMatrix(upstream="tiny").release("1.0")


def test_a_release_runs_in_the_lane_of_its_upstream(matrix: PluginMatrix) -> None:
    lane = matrix.release("1.1").environment
    assert (lane.tag, lane.wheel, lane.simulated) == ("v1.6", "1.6", {"tinydep": "3"})
    assert matrix.release("1.0").environment.simulated == {"tinydep": "2", "tinytool": None}


def test_evidence_is_of_one_release_and_keeps_its_date_while_it_says_the_same(matrix: PluginMatrix) -> None:
    first = matrix.with_evidence("v1.0", "simulate-a", said("pass", "monday"), CODE)
    assert first.release("v1.1") == matrix.release("v1.1")
    assert first.release("1.0").shown("simulate-a") == "pass"
    assert first.with_evidence("v1.0", "simulate-a", said("pass", "tuesday"), CODE) == first
    failed = first.with_evidence("v1.0", "simulate-a", said("fail", "tuesday"), CODE)
    assert failed.release("1.0").checks["simulate-a"].date == "tuesday"


def test_evidence_of_other_sources_makes_the_rest_stale(matrix: PluginMatrix) -> None:
    first = matrix.with_evidence("v1.0", "simulate-a", said("pass", "monday"), CODE)
    other = Present(published="other", environment="e")
    second = first.with_evidence("v1.0", "simulate-b", said("pass", "tuesday", other), other)
    release = second.release("1.0")
    assert (release.sources, release.shown("simulate-a"), release.shown("simulate-b")) == (
        "other",
        "stale",
        "pass",
    )


def test_the_file_is_written_newest_first_and_reads_back(file: Path, matrix: PluginMatrix) -> None:
    evidence = matrix.with_evidence("v1.0", "simulate-b", said("pass", "monday"), CODE)
    written = evidence.with_evidence("v1.0", "simulate-a", said("unsupported", "monday"), CODE)
    plugin_matrix.save(written, file)
    text = file.read_text()
    assert text.index("v1.1") < text.index("v1.0")
    assert text.index("simulate-a") < text.index("simulate-b")
    assert "tinytool: null" in text
    again = plugin_matrix.load(file)
    assert sorted(again.releases, key=lambda each: each.tag) == list(written.releases)
    plugin_matrix.save(again, file)
    assert file.read_text() == text


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("wheel: '1.0'", "wheel: '1.2'", "wheel '1.2' of lane v1.0 must be 1.0 or 1.0.postN"),
        ("{tinydep: '3'}", "{other: '3'}", "simulated_with of lane v1.1 names other"),
        ("upstream: '1.5', ", "", "upstream"),
        ("schema_version: 1", "schema_version: 2", "schema_version"),
        ("tag: v1.0", "tag: newest", "'newest' is not a version tag"),
    ],
)
def test_a_wrong_matrix_is_told_in_one_line(file: Path, old: str, new: str, told: str) -> None:
    file.write_text(TEXT.replace(old, new))
    with pytest.raises(ConfigurationError, match=r"plugin_matrix\.yaml") as caught:
        plugin_matrix.load(file)
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_matrix_that_is_not_there_is_told_with_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="list the plugin's releases in it"):
        plugin_matrix.load(tmp_path / "none.yaml")
