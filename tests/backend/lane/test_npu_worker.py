"""Which device a worker takes, and how its process is started."""

from __future__ import annotations

import os
from types import SimpleNamespace
from typing import Any

import pytest
from ascend_backend.platform import NPUPlatform
from ascend_backend.worker.npu_worker import NPUWorker
from vllm.config import ParallelConfig, VllmConfig
from vllm.platforms import interface


def index(local_rank: int, executor: Any, ids: list[int] | None, monkeypatch: pytest.MonkeyPatch) -> int:
    """Return the device of a worker of the second of two replicas of two ranks each."""
    monkeypatch.setattr(interface, "_assigned_physical_gpu_ids", None)
    worker: Any = object.__new__(NPUWorker)
    worker.local_rank = local_rank
    parallel = ParallelConfig(tensor_parallel_size=2, data_parallel_size=2, assigned_physical_gpu_ids=ids)
    parallel.data_parallel_rank_local = parallel.data_parallel_index = 1
    # Afterwards, for whoever names Ray has to have it.
    parallel.distributed_executor_backend = executor
    worker.parallel_config = parallel
    found = worker._device_index()
    assert interface.get_assigned_physical_gpu_ids() == ids
    return int(found)


@pytest.mark.parametrize("local_rank", [0, 1])
@pytest.mark.parametrize(
    ("executor", "first"),
    [
        pytest.param("mp", 2, id="the ranks of a replica count from its first device"),
        pytest.param("external_launcher", 0, id="whoever launches a worker has counted"),
        pytest.param("ray", 0, id="so has Ray"),
    ],
)
def test_replicas_lie_side_by_side(
    executor: Any, first: int, local_rank: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert index(local_rank, executor, None, monkeypatch) == first + local_rank


@pytest.mark.parametrize(
    "ids",
    [
        pytest.param([6, 7], id="those of the replica, as vLLM gives them to an engine"),
        pytest.param([4, 5, 6, 7], id="those of all replicas, as a user gives them"),
    ],
)
def test_of_named_devices_the_ranks_take_those_of_their_replica(
    ids: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert [index(rank, "mp", ids, monkeypatch) for rank in (0, 1)] == [6, 7]


@pytest.mark.parametrize(
    ("chosen", "expected"),
    [
        pytest.param(None, "spawn", id="a device that was begun does not survive a fork"),
        pytest.param("fork", "fork", id="the user's choice stays"),
    ],
)
def test_how_workers_are_started(chosen: str | None, expected: str, monkeypatch: pytest.MonkeyPatch) -> None:
    name = "VLLM_WORKER_MULTIPROC_METHOD"
    # Set first, so that it is put back whatever the platform makes of it.
    monkeypatch.setenv(name, "spawn")
    os.environ.pop(name)
    if chosen is not None:
        os.environ[name] = chosen
    NPUPlatform.check_and_update_config(VllmConfig())
    assert os.environ.get(name) == expected


def test_weights_of_another_process_count_as_requested(monkeypatch: pytest.MonkeyPatch) -> None:
    loader = SimpleNamespace(get_external_weight_memory=lambda config: 3 << 30)
    asked: list[int] = []
    monkeypatch.setattr("ascend_backend.worker.npu_worker.get_model_loader", lambda config: loader)
    monkeypatch.setattr(
        "ascend_backend.worker.npu_worker.init_worker_distributed_environment", lambda *arguments: None
    )
    monkeypatch.setattr(
        "ascend_backend.worker.npu_worker.request_memory",
        lambda snapshot, cache, external: asked.append(external) or 0,
    )
    monkeypatch.setattr(NPUWorker, "_init_workspace_and_model_runner", lambda self: None)
    config = VllmConfig()
    worker: Any = object.__new__(NPUWorker)
    worker.vllm_config, worker.parallel_config, worker.cache_config = config, config.parallel_config, None
    worker.load_config = config.load_config
    worker.model_config = SimpleNamespace(dtype=None, seed=0)
    worker.rank = worker.local_rank = 0
    worker.distributed_init_method = "env://"
    worker.init_device()
    assert asked == [3 << 30]
