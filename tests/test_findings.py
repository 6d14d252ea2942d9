"""Frozen findings, and what is told of a state that finds otherwise."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def findings() -> ModuleType:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "benchmarks")
        module = importlib.import_module("findings")
    sys.modules["findings"] = module
    return module


def test_the_frozen_file_is_sorted_and_of_known_inputs(findings: ModuleType) -> None:
    text = (ROOT / "benchmarks" / "findings.txt").read_text(encoding="utf-8")
    frozen = findings.read(text)
    assert findings.written(frozen) == text
    known = findings.inputs([ROOT / "benchmarks" / "later.jsonl"])
    assert {id: each.digest for id, each in frozen.items() if id in known} == {
        id: findings.digest(known[id]) for id in frozen if id in known
    }
    assert len(frozen.keys() & known.keys()) > 40


def test_differences_are_told_by_check(findings: ModuleType) -> None:
    lines = [findings.Line(f"a.py:{n}", "symbol-removed", "breaks", "imports") for n in range(3)]
    other = findings.Line("a.py:1", "parameter-added", "at-risk", "calls+overrides")
    before = {"one": findings.Frozen("d", tuple(lines)), "two": findings.Frozen("e", (other,))}
    after = {"one": findings.Frozen("d", (*lines[1:], other))}
    assert list(findings.differences(before, after)) == [
        "calls+overrides: 0 gone, 1 new",
        "  + one a.py:1 parameter-added at-risk",
        "imports: 1 gone, 0 new",
        "  - one a.py:0 symbol-removed breaks",
    ]
    assert list(findings.differences(before, before)) == []


def test_another_version_is_another_input(findings: ModuleType) -> None:
    one = findings.Range("id", "a", "b", "c")
    assert findings.digest(one) == findings.digest(findings.Range("id", "a", "b", "c"))
    assert findings.digest(one) != findings.digest(findings.Range("id", "a", "b", "d"))
