"""Graphs of the device: events that a replay waits for, groups of calls that are updated, launches of kernels."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch
import torch_npu
from torch_npu_sim.constraints import ConstraintError
from torch_npu_sim.graphs import recorder


@pytest.fixture(autouse=True)
def _inference() -> Iterator[None]:
    with torch.inference_mode():
        yield
    recorder.NPUGraph._stopped = None


def captured(event: torch.npu.ExternalEvent, value: torch.Tensor) -> tuple[torch.npu.NPUGraph, torch.Tensor]:
    """A graph that waits for the event before it doubles the value."""
    graph = torch.npu.NPUGraph()
    with torch.npu.graph(graph):
        event.wait()
        event.reset()
        result = value * 2
    return graph, result


def test_a_replay_goes_on_when_the_event_is_recorded() -> None:
    event, value = torch.npu.ExternalEvent(), torch.ones(3, device="npu")
    graph, result = captured(event, value)
    value.fill_(4)
    graph.replay()
    assert result.tolist() == [2, 2, 2]
    event.record()
    assert result.tolist() == [8, 8, 8]


def test_an_event_that_nobody_records_is_an_error_with_the_next_replay() -> None:
    event = torch.npu.ExternalEvent()
    graph, _ = captured(event, torch.ones(3, device="npu"))
    graph.replay()
    with pytest.raises(ConstraintError, match="waits for an external event"):
        graph.replay()


def test_an_event_that_was_recorded_before_holds_nothing_up_once() -> None:
    event, value = torch.npu.ExternalEvent(), torch.ones(3, device="npu")
    graph, result = captured(event, value)
    event.record()
    value.fill_(5)
    graph.replay()
    assert result.tolist() == [10, 10, 10]
    value.fill_(6)
    graph.replay()
    assert result.tolist() == [10, 10, 10]


_library = torch.library.Library("loaded_graph_tests", "DEF")
_library.define("attend(Tensor query, Tensor cache) -> Tensor")


def attend(query: torch.Tensor, cache: torch.Tensor) -> torch.Tensor:
    return torch_npu.npu_fused_infer_attention_score(
        query,
        cache,
        cache,
        block_table=torch.tensor([[1]], dtype=torch.int32, device="npu"),
        actual_seq_lengths=[1],
        actual_seq_lengths_kv=[9],
        num_heads=2,
        num_key_value_heads=1,
        scale=0.5,
        input_layout="TND",
        block_size=128,
    )[0]


_library.impl("attend", attend, "PrivateUse1")


@pytest.mark.parametrize("in_python", [False, True])
def test_an_update_reaches_attention_but_none_within_a_custom_operator_written_in_python(
    in_python: bool,
) -> None:
    query = torch.randn(1, 2, 16, device="npu", dtype=torch.float16)
    cache = torch.randn(2, 128, 16, device="npu", dtype=torch.float16)
    graph = torch.npu.NPUGraph()
    with torch.npu.graph(graph, auto_dispatch_capture=True):
        result = (torch.ops.loaded_graph_tests.attend if in_python else attend)(query, cache)
    before = result.clone()
    lengths = {"actual_seq_lengths_kv": [2]}
    with pytest.raises(RuntimeError, match=f"^{1 - in_python} operators have to be updated, and 2"):
        graph.update([lengths, lengths])
    # One for all of them, however few.
    graph.update([lengths])
    graph.replay()
    assert torch.equal(result, before) == in_python


def group(x: torch.Tensor) -> tuple[torch.npu.NPUGraph, list[object], torch.Tensor]:
    graph = torch.npu.NPUGraph()
    with torch.npu.graph(graph):
        torch.npu.graph_task_group_begin(None)
        result = torch_npu.npu_swiglu(x, dim=-1)
        handle = torch.npu.graph_task_group_end(None)
    return graph, handle, result


def test_a_group_is_updated_by_calling_it_again() -> None:
    first, second = (torch.randn(2, 8, device="npu") for _ in range(2))
    graph, handle, result = group(first)
    torch.npu.graph_task_update_begin(None, handle)
    returned = torch_npu.npu_swiglu(second, dim=-1)
    torch.npu.graph_task_update_end(None)
    assert returned is result
    assert torch.equal(result, torch_npu.npu_swiglu(first, dim=-1))
    graph.replay()
    assert torch.equal(result, torch_npu.npu_swiglu(second, dim=-1))


def test_an_update_with_other_calls_than_those_of_the_capture_is_refused() -> None:
    x = torch.randn(2, 8, device="npu")
    _, handle, _ = group(x)
    torch.npu.graph_task_update_begin(None, handle)
    with pytest.raises(ConstraintError, match="one call more than were captured"):
        torch_npu.npu_swiglu(torch_npu.npu_swiglu(x, dim=-1), dim=-1)
    torch.npu.graph_task_update_end(None)
    torch.npu.graph_task_update_begin(None, handle)
    with pytest.raises(ConstraintError, match=r"npu_swiglu\.default was captured"):
        torch_npu.npu_rms_norm(x, x[0])
    torch.npu.graph_task_update_end(None)


def test_a_group_outside_of_a_capture_is_refused() -> None:
    with pytest.raises(RuntimeError, match="no graph is being captured"):
        torch.npu.graph_task_group_begin(None)
    with pytest.raises(RuntimeError, match="without graph_task_update_begin"):
        torch.npu.graph_task_update_end(None)


def test_a_launch_is_one_call_of_a_graph_whatever_it_does_itself() -> None:
    def kernel(x: torch.Tensor, by: int) -> None:
        x.copy_((x + by) * 1)

    x = torch.zeros(2, device="npu")
    graph = torch.npu.NPUGraph()
    before = recorder.counts["calls"]
    with torch.npu.graph(graph):
        recorder.launch("kernel", kernel, (x, 3), {})
    assert recorder.counts["calls"] - before == 1
    assert x.tolist() == [3, 3]
    graph.replay()
    assert x.tolist() == [6, 6]
