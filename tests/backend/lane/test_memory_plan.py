"""The memory plan adds up, in vLLM's terms."""

from __future__ import annotations

import logging
from types import SimpleNamespace
from typing import Any

import pytest
from ascend_backend.worker.memory_plan import Plan, no_room, unmeasured
from ascend_backend.worker.npu_worker import NPUWorker
from vllm.v1.worker.gpu_worker import Worker

GIB = 1 << 30
PLAN = Plan(64 * GIB, 60 * GIB, weights=32 * GIB, activations=6 * GIB, encoder=4 * GIB, kv_cache=20 * GIB)


def test_the_pieces_are_what_was_requested() -> None:
    assert PLAN.rest == 2 * GIB
    assert PLAN.pieces()["rest"] == 2 * GIB
    assert PLAN.line() == (
        "NPU memory of 64.00 GiB, 60.00 GiB requested: model weights 32.00, peak activations 6.00 (encoder profile "
        "4.00), the rest 2.00, available KV cache memory 20.00"
    )


def test_without_an_encoder_nothing_is_said_of_one() -> None:
    plan = Plan(64 * GIB, 60 * GIB, weights=32 * GIB, activations=6 * GIB, encoder=0, kv_cache=20 * GIB)
    assert "encoder" not in plan.line()


def test_where_nothing_is_left_the_settings_that_help_are_named() -> None:
    line = no_room(PLAN)
    assert line.startswith(PLAN.line())
    for setting in ("--gpu-memory-utilization", "--max-num-batched-tokens", "--mm-processor-kwargs"):
        assert setting in line


@pytest.fixture
def worker(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> Any:
    worker: Any = object.__new__(NPUWorker)
    worker.init_snapshot = SimpleNamespace(free_memory=60 * GIB, total_memory=64 * GIB)
    worker.requested_memory = 60 * GIB
    worker.peak_activation_memory = 6 * GIB
    worker.model_runner = SimpleNamespace(model_memory_usage=32 * GIB)
    worker.model_config = SimpleNamespace(is_multimodal_model=False)
    worker.cache_config = SimpleNamespace(kv_cache_memory_bytes=None)
    worker.parallel_config = SimpleNamespace(distributed_executor_backend="mp")
    monkeypatch.setattr("ascend_backend.worker.npu_worker.logger.handlers", [caplog.handler])
    monkeypatch.setattr("ascend_backend.worker.npu_worker.logger.propagate", False)
    monkeypatch.setattr("ascend_backend.worker.npu_worker.logger.level", logging.INFO)
    return worker


@pytest.mark.parametrize(("available", "level"), [(20 * GIB, "INFO"), (0, "ERROR")])
def test_a_worker_says_its_plan(
    worker: Any, available: int, level: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(Worker, "determine_available_memory", lambda self: available)
    assert worker.determine_available_memory() == available
    assert worker.memory_plan()["kv_cache"] == available
    (record,) = caplog.records
    assert record.levelname == level
    assert "model weights 32.00, peak activations 6.00" in record.getMessage()


def test_a_worker_that_was_given_the_size_of_its_cache_says_what_it_knows(
    worker: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    worker.cache_config.kv_cache_memory_bytes = 20 * GIB
    monkeypatch.setattr(Worker, "determine_available_memory", lambda self: 20 * GIB)
    assert worker.determine_available_memory() == 20 * GIB
    assert worker.memory_plan() == {}
    (record,) = caplog.records
    assert record.getMessage() == unmeasured(64 * GIB, 32 * GIB, 20 * GIB)
    assert "of 64.00 GiB: model weights 32.00, KV cache 20.00 as given" in record.getMessage()
