"""The page of evidence is what its results say; a result that says too little is refused."""

from __future__ import annotations

import datetime
import subprocess
from pathlib import Path
from types import ModuleType

import pytest
from pydantic import ValidationError

ROOT = Path(__file__).parents[1]


@pytest.fixture
def evidence(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    import evidence_page

    return evidence_page


def test_the_page_is_current_and_short(evidence: ModuleType) -> None:
    page = (ROOT / "docs/evidence.md").read_text(encoding="utf-8")
    assert page == evidence.page(), "run: python benchmarks/evidence_page.py"
    assert len(page.split()) < 2000


def test_every_result_names_a_commit_and_a_script_that_exist(evidence: ModuleType) -> None:
    shallow = subprocess.run(
        ["git", "rev-parse", "--is-shallow-repository"], cwd=ROOT, capture_output=True, text=True
    )
    for figure in evidence.figures():
        words = figure.command.split()
        if words[0] == "python":
            assert (ROOT / words[1]).is_file(), figure.command
        if shallow.stdout.strip() == "false":
            # A commit that is only in this clone, of a branch that was rebased, is nobody else's.
            known = subprocess.run(["git", "merge-base", "--is-ancestor", figure.commit, "HEAD"], cwd=ROOT)
            assert known.returncode == 0, figure


def test_what_is_recorded_is_on_the_page(evidence: ModuleType, tmp_path: Path) -> None:
    day = datetime.date(2026, 1, 2)
    figure = evidence.Figure(
        what="a|b", figure="3 of 4", date=day, commit="0123abcd", command="python benchmarks/lint.py"
    )
    evidence.record("one", [figure], tmp_path)
    assert list(evidence.figures(tmp_path)) == [figure]
    assert evidence.page(tmp_path).endswith(
        "\n| a/b | 3 of 4 | none | 2026-01-02 | `0123abcd` | `python benchmarks/lint.py` |\n"
    )


@pytest.mark.parametrize("text", ["what: x\n", "- {what: x, figure: y}\n", "- {what: x, florb: y}\n"])
def test_a_result_that_says_too_little_is_refused(evidence: ModuleType, tmp_path: Path, text: str) -> None:
    (tmp_path / "one.yaml").write_text(text, encoding="utf-8")
    with pytest.raises((ValueError, ValidationError)):
        list(evidence.figures(tmp_path))


def test_the_faults_of_the_plugin_are_those_of_its_matrix(evidence: ModuleType) -> None:
    import plugin_faults

    told = plugin_faults.figure()
    [recorded] = [figure for figure in evidence.figures() if figure.what == told.what]
    assert recorded.figure == told.figure, "run: python benchmarks/plugin_faults.py --record"
