"""Calls are counted where the simulated device does not count them: in torch_npu, and in the backend."""

from __future__ import annotations

import importlib
from collections import Counter
from collections.abc import Iterator
from types import ModuleType

import pytest
import torch
from ascend_backend.compilation import acl_graphs
from ascend_backend.ops import activation, norm
from ascend_backend.ops.availability import SINCE
from torch_npu_sim import operators
from vllm_npu_cases import counting

#: The one that stands in for the installed one once operators were imported.
torch_npu = norm.torch_npu


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Count as on a real device, until the test is over."""
    for name in SINCE:
        monkeypatch.setattr(torch_npu, name, getattr(torch_npu, name))
    for name in ("_calls", "_captured"):
        monkeypatch.setattr(counting, name, Counter())
    monkeypatch.setattr(counting, "simulated", lambda: False)
    counting.begin()
    with torch.inference_mode():
        yield


def normalise() -> torch.Tensor:
    return norm.rms_norm(torch.ones(2, 8), torch.ones(8), 1e-6)


@pytest.mark.usefixtures("counted")
def test_calls_are_counted_until_they_are_cleared() -> None:
    normalise()
    assert torch.equal(normalise(), torch.ones(2, 8).mul(torch.tensor(1 + 1e-6).rsqrt()))
    activation.swiglu(torch.ones(2, 8))
    assert counting.operators(True) == {"npu_rms_norm": 2, "npu_swiglu": 1}
    assert counting.operators(False) == {}


@pytest.mark.usefixtures("counted")
def test_what_is_in_a_graph_stays_counted() -> None:
    graph = acl_graphs.Graph()
    with acl_graphs.capture(graph):
        normalise()
    counting.operators(True)
    graph.replay()
    assert counting.operators(False) == {"npu_rms_norm": 1}


def test_a_simulated_device_counts_by_itself() -> None:
    normalise()
    before = operators.calls["npu_rms_norm"]
    with torch.inference_mode():
        normalise()
    assert counting.operators(False)["npu_rms_norm"] == before + 1
    assert importlib.import_module("vllm_npu_cases.probe").Probe
    assert isinstance(torch_npu.npu_rms_norm, torch._ops.OpOverloadPacket)


def test_functions_are_counted_from_the_first_time_they_are_named() -> None:
    module = ModuleType("module")
    module.__dict__.update(double=lambda x: 2 * x, half=lambda x: x / 2)
    module.double(1)
    assert counting.functions(module, ["double"])["double"] == 0
    counting.functions(module, ["double"])
    assert module.double(3) == 6
    assert module.half(3) == 1.5
    found = counting.functions(module, [])
    assert (found["double"], "half" in found) == (1, False)


def test_captures_and_replays_of_graphs_are_counted() -> None:
    captures, replays = acl_graphs.Graph.captures, acl_graphs.Graph.replays
    with torch.inference_mode():
        graph = acl_graphs.Graph()
        with acl_graphs.capture(graph):
            normalise()
        graph.replay()
        graph.replay()
    assert (acl_graphs.Graph.captures - captures, acl_graphs.Graph.replays - replays) == (1, 2)
