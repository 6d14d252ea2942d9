"""The table of a first run on a device: what it compares, and with what."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

# A distribution of its own, as the simulator.
sys.path.insert(0, str(Path(__file__).parents[2] / "simulator" / "vllm" / "src"))

from vllm_npu_cases import first_run_simulated
from vllm_npu_cases.cases import cases
from vllm_npu_cases.first_run import RUNS, agrees, compared, recorded

EXPECTED = {"qwen3-v1": ["npu_rms_norm", "npu_swiglu"]}


def result(**changes: Any) -> dict[str, Any]:
    ran = {"npu_rms_norm": 3, "npu_swiglu": 1}
    return {
        "case": "qwen3",
        "runner": "v1",
        "failure": None,
        "operators": ran,
        "margin": 0.3,
        "seconds": 9.1,
    } | changes


def row(**changes: Any) -> str:
    return list(compared([result(**changes)], EXPECTED))[2]


def test_what_agrees_is_said_in_two_words() -> None:
    assert row() == "| qwen3 | v1 | equal | as simulated | 9.1 |"
    assert agrees(result(), EXPECTED)


def test_other_operators_are_named() -> None:
    other = {"operators": {"npu_rms_norm": 3, "npu_gelu": 1}}
    assert row(**other) == "| qwen3 | v1 | equal | no npu_swiglu; also npu_gelu | 9.1 |"
    assert not agrees(result(**other), EXPECTED)


def test_tokens_that_rounding_may_have_changed() -> None:
    assert "| other tokens (margin 0.0100: rounding may do that) |" in row(
        failure="other tokens", margin=0.01
    )
    assert "| other tokens |" in row(failure="other tokens")


def test_an_engine_that_failed_has_one_cell_of_words() -> None:
    failed = {"case": "qwen3", "runner": "v2", "failure": "code 1: a|b", "seconds": 0.0}
    assert list(compared([failed], EXPECTED))[2] == "| qwen3 | v2 | code 1: a/b | not known | 0.0 |"
    assert not agrees(failed, EXPECTED)


def test_each_run_is_a_case_whose_operators_the_simulation_has_told() -> None:
    names = {f"{case}-{runner}" for runner, chosen in RUNS.items() for case in chosen}
    assert {case for chosen in RUNS.values() for case in chosen} <= set(cases())
    assert set(first_run_simulated.RAN) == names
    assert all(first_run_simulated.RAN.values())
    assert Path(first_run_simulated.__file__).read_text() == recorded(first_run_simulated.RAN)
