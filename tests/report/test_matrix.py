"""The matrix for people: on a page, and on consoles of any width."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from syncbot.lanes import matrix as matrices
from syncbot.lanes.evidence import Evidence
from syncbot.lanes.matrix import Matrix
from syncbot.report.matrix import as_markdown, for_terminal, summary_table

TEXT = """\
upstream: engine
baseline: v2.0.0
lanes:
  - {tag: v1.9.0, wheel: 1.9.0, python: ">=3.10", stack: {torch: 2.12.0, cann: null}, sources: one, patches: [a, b]}
  - {tag: v1.10.0, wheel: 1.10.0, python: ">=3.10", stack: {torch: 2.12.0}, sources: two}
  - {tag: v2.0.0, wheel: 2.0.0, python: ">=3.12", sources: three}
"""


def evidence(status: str, digest: str) -> Evidence:
    values = {
        "status": status,
        "command": "x",
        "date": "2026-01-01",
        "digest": digest,
        "stale": digest == "older",
    }
    return Evidence.model_validate(values)


@pytest.fixture
def matrix() -> Matrix:
    found = matrices.parse(TEXT)
    found = found.with_evidence("v1.9.0", "static", evidence("pass", "one"))
    found = found.with_evidence("v1.10.0", "static", evidence("pass", "older"))
    return found.with_evidence("v2.0.0", "simulate-tiny", evidence("fail", "three"))


def test_two_tables_on_a_page(matrix: Matrix) -> None:
    assert as_markdown(matrix) == (
        "| engine | wheel | python | torch | cann | patches | checks |\n"
        "| --- | --- | --- | --- | --- | --- | --- |\n"
        "| v2.0.0 (baseline) | 2.0.0 | >=3.12 | unknown | unknown | 0 | 1 failed, 1 unknown |\n"
        "| v1.10.0 | 1.10.0 | >=3.10 | 2.12.0 | unknown | 0 | 1 stale, 1 unknown |\n"
        "| v1.9.0 | 1.9.0 | >=3.10 | 2.12.0 | unknown | 2 | 1 passed, 1 unknown |\n"
        "\n"
        "| check | 2.0.0 | 1.10.0 | 1.9.0 |\n"
        "| --- | --- | --- | --- |\n"
        "| simulate-tiny | ❌ | ? | ? |\n"
        "| static | ? | stale | ✅ |\n"
    )


def test_what_upstream_refuses_is_not_unknown(matrix: Matrix) -> None:
    old = matrix.lane("v1.9.0").model_copy(update={"unsupported": {"tiny": ("v1", "v2"), "other": ("v2",)}})
    shown = as_markdown(
        matrix.with_lane(old)
        .with_evidence("v2.0.0", "simulate-tiny-v2", evidence("pass", "three"))
        .with_evidence("v2.0.0", "simulate-other-v1", evidence("pass", "three"))
    )
    assert "| v1.9.0 | 1.9.0 | >=3.10 | 2.12.0 | unknown | 2 | 1 passed, 1 unsupported, 2 unknown |" in shown
    assert "| simulate-tiny-v2 | ✅ | ? | - |" in shown
    assert "| simulate-other-v1 | ✅ | ? | ? |" in shown
    # What was run all the same is told.
    ran = matrix.with_lane(old).with_evidence("v1.9.0", "simulate-tiny-v2", evidence("fail", "one"))
    assert "| simulate-tiny-v2 | ? | ? | ❌ |" in as_markdown(ran)


def test_what_runs_in_place_of_the_stack_has_a_column() -> None:
    other = TEXT.replace("stack: {torch: 2.12.0}", "stack: {torch: 2.12.0}, simulated_with: {torch: 2.13.0}")
    head, _, *rows = as_markdown(matrices.parse(other)).splitlines()
    assert head == "| engine | wheel | python | torch | cann | simulated with | patches | checks |"
    assert rows[1] == "| v1.10.0 | 1.10.0 | >=3.10 | 2.12.0 | unknown | torch 2.13.0 | 0 | none |"
    assert rows[2] == "| v1.9.0 | 1.9.0 | >=3.10 | 2.12.0 | unknown |  | 2 | none |"


def test_without_checks_there_is_one_table() -> None:
    text = as_markdown(matrices.parse(TEXT))
    assert "check |" not in text
    assert text.count("| none |") == 3


@pytest.mark.parametrize(("width", "tables"), [(200, 1), (38, 2), (20, 3)])
def test_a_console_shows_as_many_lanes_side_by_side_as_fit(matrix: Matrix, width: int, tables: int) -> None:
    console = Console(file=io.StringIO(), width=width)
    checks = list(for_terminal(matrix, console))[1:]
    assert len(checks) == tables
    shown = [str(column.header) for table in checks for column in table.columns[1:]]
    assert shown == ["2.0.0", "1.10.0", "1.9.0"]


def test_no_check_is_cut_where_a_table_fits(matrix: Matrix) -> None:
    console = Console(file=io.StringIO(), width=38)
    for table in list(for_terminal(matrix, console))[1:]:
        console.print(table)
    assert isinstance(console.file, io.StringIO)
    text = console.file.getvalue()
    assert text.count("simulate-tiny") == 2
    assert "…" not in text


def test_the_summary_has_tiers_first_and_fits_into_a_hundred_columns(matrix: Matrix) -> None:
    tiers = matrix.model_copy(update={"tiers": {"core": ("static",), "none": ()}})
    lane = tiers.lane("v1.9.0").model_copy(update={"claimed": "core"})
    none = tiers.lane("v2.0.0").model_copy(update={"claimed": "none"})
    claimed = tiers.with_lane(lane).with_lane(none)
    console = Console(file=io.StringIO(), width=100)
    console.print(summary_table(claimed))
    assert isinstance(console.file, io.StringIO)
    rows = [line.split() for line in console.file.getvalue().splitlines() if line.strip()]
    assert rows[0] == [
        "engine",
        "tier",
        "claimed",
        "passed",
        "failed",
        "stale",
        "unsupported",
        "unknown",
        "oldest",
    ]
    assert rows[2:5] == [
        ["all", "lanes", "none", "0"],
        ["all", "lanes", "all", "2", "1", "1"],
        ["all", "lanes", "core", "1", "1"],
    ]
    assert rows[5:] == [
        ["v2.0.0", "(baseline)", "none", "0"],
        ["v1.10.0", "all", "2", "1", "1", "2026-01-01"],
        ["v1.9.0", "core", "1", "1", "2026-01-01"],
    ]
    # What is not claimed is not shown.
    text = as_markdown(claimed)
    assert "| simulate-tiny |  | ? |  |" in text
    assert "| static |  | stale | ✅ |" in text
