"""Waits of the host: where lengths come from, how numbers reach the device, and how a wait is reported."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
import torch
from ascend_backend.attention import batch_lengths
from ascend_backend.ops import host_values
from torch_npu_sim.device import counters
from vllm_npu_cases.host_waits import HostWaits


def waits() -> int:
    return counters()["waits"]


@pytest.mark.parametrize(
    ("drafts", "encoder", "on_host", "read"),
    [
        pytest.param(None, False, [5, 6, 0], [5, 6], id="the host knows them"),
        pytest.param(
            object(), False, [9, 9, 0], [3, 4], id="what of the drafts is accepted the device knows"
        ),
        pytest.param(None, True, [9, 9, 0], [3, 4], id="those of an encoder"),
        pytest.param(None, False, None, [3, 4], id="the host was not told"),
    ],
)
def test_where_the_lengths_of_contexts_come_from(
    drafts: object, encoder: bool, on_host: list[int] | None, read: list[int]
) -> None:
    common: Any = SimpleNamespace(
        num_reqs=2,
        seq_lens=torch.tensor([3, 4, 7], device="npu"),
        seq_lens_cpu_upper_bound=None if on_host is None else torch.tensor(on_host, device="cpu"),
    )
    config: Any = SimpleNamespace(
        speculative_config=drafts, model_config=SimpleNamespace(is_encoder_decoder=encoder)
    )
    before = waits()
    assert batch_lengths.context_lengths(common, config) == read
    assert (waits() > before) == (read == [3, 4])


def test_numbers_come_to_the_device_without_a_wait() -> None:
    before = waits()
    there = host_values.on_device([[1], [2]], torch.device("npu:0"), torch.int32)
    assert waits() == before
    assert there.device.type == "npu"
    assert there.tolist() == [[1], [2]]


def test_a_wait_is_told_by_its_line_and_kind_of_step() -> None:
    value = torch.ones(1, device="npu")

    class Worker:
        def execute_model(self, scheduled: Any) -> None:
            value.item()

        def sample_tokens(self, grammar: object) -> Any:
            return SimpleNamespace(get_output=value.item)

    worker: Any = Worker()
    found = HostWaits(worker)
    worker.execute_model(SimpleNamespace(num_scheduled_tokens={"a": 7}, scheduled_new_reqs=["a"]))
    worker.execute_model(SimpleNamespace(num_scheduled_tokens={"a": 1}, scheduled_new_reqs=[]))
    assert worker.sample_tokens(None).get_output() == 1
    assert found.steps == 1
    for counted in (found.decoding, found.others):
        ((place, times),) = counted.items()
        assert place.endswith(" execute_model")
        assert times == 1
