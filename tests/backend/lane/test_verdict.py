"""Checks the task that the check hands the engine, and its verdict on the answer, without an engine."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from vllm_npu_cases.cases import cases
from vllm_npu_cases.check import Run, verdict


@pytest.mark.parametrize(
    ("case", "dtype"), [("qwen3", "float16"), ("graphs_mla", "bfloat16"), ("hybrid", "bfloat16")]
)
def test_a_device_computes_in_what_the_operators_take(case: str, dtype: str, tmp_path: Path) -> None:
    for device, expected in (("npu", dtype), ("simulated", "float32")):
        task = Run(cases()[case], "v1", None, tmp_path, device).task("engine")
        assert task["variables"]["ASCEND_CHECK_DTYPE"] == expected


@pytest.mark.parametrize(
    ("runner", "found", "line"),
    [
        ("v1", "ascend_backend.worker.model_runner_v1.NPUModelRunner", None),
        ("v2", "ascend_backend.worker.model_runner_v2.NPUModelRunnerV2", None),
        ("v2", "a.NPUModelRunner", "the model runner is a.NPUModelRunner, not NPUModelRunnerV2"),
        ("v1", "a.NPUModelRunner, b.NPUModelRunnerV2", "the model runner is .*, not NPUModelRunner"),
        ("v1", "", "the model runner is not known, not NPUModelRunner"),
    ],
)
def test_another_model_runner_than_the_one_asked_for_is_noticed(
    runner: str, found: str, line: str | None
) -> None:
    said = verdict({"runner": runner, "runner_class": found, "equal": True, "missing_operators": []})
    assert said == line or re.fullmatch(str(line), str(said))


@pytest.mark.parametrize(
    ("weights", "cache", "free", "said"),
    [
        # The tensors have lost their memory; they have kept their addresses alone; they hold a part as before.
        (0, 0, 100, None),
        (60, 40, 200, None),
        (60, 40, 160, "asleep_1: still held are"),
    ],
)
def test_who_sleeps_holds_no_memory(weights: int, cache: int, free: int, said: str | None) -> None:
    awake = {"weights": 60, "kv_cache": 40, "free": 100}
    asleep = {"weights": weights, "kv_cache": cache, "free": free}
    answer: dict[str, object] = {"awake": awake, "again": awake, "asleep_1": asleep, "asleep_2": asleep}
    answer |= {when: [[5]] for when in ("before", "after_1", "after_2")}
    found = cases()["sleep"].differs(answer, [[5]])
    assert found is said or str(found).startswith(str(said))
