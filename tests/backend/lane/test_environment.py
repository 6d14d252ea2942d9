"""The environment of a worker before torch_npu is imported, and the variable that prevents graphs."""

from __future__ import annotations

import pytest
from ascend_backend import environment


def prepared(sleep_mode: bool = False, **given: str) -> dict[str, str]:
    environment.prepare(given, sleep_mode=sleep_mode)
    return given


def test_what_the_user_has_not_set_is_set() -> None:
    spawn = {"VLLM_WORKER_MULTIPROC_METHOD": "spawn"}
    assert prepared() == spawn | {"PYTORCH_NPU_ALLOC_CONF": "expandable_segments:True"}
    assert prepared(sleep_mode=True) == spawn


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PYTORCH_NPU_ALLOC_CONF", "max_split_size_mb:250"),
        ("PYTORCH_ALLOC_CONF", "expandable_segments:False"),
    ],
)
def test_what_the_user_has_set_stays(name: str, value: str) -> None:
    assert prepared(VLLM_WORKER_MULTIPROC_METHOD="fork", **{name: value}) == {
        "VLLM_WORKER_MULTIPROC_METHOD": "fork",
        name: value,
    }


def test_no_graphs_with_a_queue_that_cannot_be_captured() -> None:
    assert environment.without_graphs({"TASK_QUEUE_ENABLE": "1"}) is None
    assert environment.without_graphs({}) is None
    line = environment.without_graphs({"TASK_QUEUE_ENABLE": "2"})
    assert line == "torch_npu captures none with TASK_QUEUE_ENABLE=2: export TASK_QUEUE_ENABLE=1"
