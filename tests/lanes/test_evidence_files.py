"""The files with the long part of the evidence."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from syncbot.errors import ConfigurationError
from syncbot.lanes import evidence_files, matrix
from syncbot.lanes.evidence import Evidence, PlantedFault
from syncbot.lanes.matrix import Lane, Matrix

NAMES = st.text("abcXYZ_.#0é", min_size=1, max_size=6)
FAULTS = st.builds(PlantedFault, took_effect=st.integers(0, 9), noticed=st.none() | st.text(max_size=9))
EVIDENCE = st.builds(
    Evidence,
    status=st.sampled_from(["pass", "fail", "unsupported", "unknown"]),
    command=st.none() | st.text(max_size=20),
    date=st.sampled_from(["2026-11-29T09:00:00+00:00", "2026-11-28"]),
    digest=st.text("0123456789abcdef", min_size=64, max_size=64),
    details=st.none() | st.text(max_size=30),
    simulated_with=st.none() | st.dictionaries(NAMES, NAMES, max_size=2),
    environment=st.none() | NAMES,
    executed=st.none()
    | st.dictionaries(NAMES, st.lists(NAMES, max_size=4, unique=True).map(sorted).map(tuple), max_size=4),
    faults=st.none() | st.dictionaries(NAMES, FAULTS, max_size=2),
    stale=st.booleans(),
)
ROW = {"wheel": "1.0", "python": ">=3.10"}


@given(st.dictionaries(NAMES, EVIDENCE, max_size=5))
def test_all_of_it_is_read_as_it_was_written(
    tmp_path_factory: pytest.TempPathFactory, checks: dict[str, Evidence]
) -> None:
    file = tmp_path_factory.mktemp("m") / "m.yaml"
    lanes = (Lane(tag="v1.0", checks=checks, **ROW), Lane(tag="v0.9", wheel="0.9", python=">=3.10"))
    written = Matrix(upstream="up", baseline="v1.0", lanes=lanes)
    matrix.save(written, file)
    assert matrix.load(file) == written
    before = {path: path.read_bytes() for path in file.parent.rglob("*.*")}
    matrix.save(matrix.load(file), file)
    assert {path: path.read_bytes() for path in file.parent.rglob("*.*")} == before


def evidence(**facts: object) -> Evidence:
    values = {"status": "pass", "command": "run", "date": "2026-11-29T09:00:00+00:00", "digest": "ab" * 32}
    return Evidence.model_validate(values | facts)


def test_a_run_more_is_a_line_more() -> None:
    first = evidence(executed={"a.py": ("f", "g"), "b.py": ()})
    before = evidence_files.files({"v1": {"x": first}}, "evidence")["evidence/v1.jsonl"].decode().splitlines()
    both = evidence_files.files({"v1": {"x": first, "y": first}}, "evidence")["evidence/v1.jsonl"].decode()
    assert [line for line in both.splitlines() if line not in before] == [
        line for line in both.splitlines() if '"check": "y"' in line
    ]
    assert [json.loads(line).get("functions") for line in before] == ["f g", "", None]


def test_what_the_file_says_of_another_run_does_not_count(tmp_path: Path) -> None:
    file = tmp_path / "v1.jsonl"
    known = evidence(executed={"a.py": ("f",)})
    for path, content in evidence_files.files({"v1": {"x": known}}, str(tmp_path)).items():
        evidence_files.write_changed(Path(path), content)
    short = Evidence.model_validate(known.line)
    assert evidence_files.completed({"x": short}, file) == {"x": known}
    later = Evidence.model_validate("pass abababababab 2026-11-30")
    assert evidence_files.completed({"x": later}, file) == {"x": later}
    gone = Evidence.model_validate("stale abababababab 2026-11-29")
    assert evidence_files.completed({"x": gone}, file) == {"x": known.model_copy(update={"stale": True})}
    assert evidence_files.completed({"x": short}, tmp_path / "none.jsonl") == {"x": short}


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("{", "is no line of evidence"),
        ("[]", "is no line of evidence"),
        ('{"check": "x", "status": "passed"}', "status"),
        ('{"check": "x", "executed": "none"}', "is no line of evidence: 'none'"),
    ],
)
def test_a_wrong_line_is_told_with_its_number(tmp_path: Path, line: str, told: str) -> None:
    file = tmp_path / "v1.jsonl"
    file.write_text(f'{{"ran": "a", "file": "a.py", "functions": ""}}\n{line}\n')
    with pytest.raises(ConfigurationError, match=r"v1\.jsonl:2: ") as caught:
        evidence_files.completed({"x": evidence()}, file)
    assert told in str(caught.value)


@pytest.mark.parametrize("line", ["", "pass", "passed abc 2026-01-01", "pass abc", "pass a b c", "fail abc"])
def test_a_line_that_is_none(line: str) -> None:
    with pytest.raises(ValueError, match="status"):
        Evidence.model_validate(line)
