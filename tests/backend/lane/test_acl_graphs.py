"""Graphs of the simulated device replay what was captured, and refuse what the device would do wrong."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch
from ascend_backend.compilation import acl_graphs
from ascend_backend.ops import attention, norm
from torch_npu_sim.constraints import ConstraintError
from torch_npu_sim.graphs import recorder
from torch_npu_sim.graphs.recorder import is_current_stream_capturing

_library = torch.library.Library("graph_tests", "DEF")
_library.define("twice(Tensor x) -> Tensor")
_library.impl("twice", lambda x: x + x, "PrivateUse1")
_library.define("breaking(Tensor x, Tensor(a!) out) -> ()")

#: Graphs that a custom operator cuts in two, as vLLM's breakable graphs do.
pieces: list[torch.npu.NPUGraph] = []


def _breaking(x: torch.Tensor, out: torch.Tensor) -> None:
    if is_current_stream_capturing():
        pieces[-1].capture_end()
        pieces.append(torch.npu.NPUGraph())
        out.copy_(x * 10)
        pieces[-1].capture_begin()
    else:
        out.copy_(x * 10)


_library.impl("breaking", _breaking, "PrivateUse1")


@pytest.fixture(autouse=True)
def inference() -> Iterator[None]:
    torch.manual_seed(0)
    with torch.inference_mode():
        yield


def test_a_replay_computes_with_what_the_buffers_hold_now() -> None:
    buffer, weight = torch.randn(4, 8), torch.randn(8, 8)
    graph = acl_graphs.Graph()
    with acl_graphs.capture(graph):
        hidden = buffer[:3].to(torch.float64).float() @ weight
        result = norm.rms_norm(hidden, torch.ones(8), 1e-6)
    place = result.data_ptr()
    buffer.copy_(torch.randn(4, 8))
    graph.replay()
    assert result.data_ptr() == place
    torch.testing.assert_close(result, torch.nn.functional.rms_norm(buffer[:3] @ weight, (8,)))


def test_calls_inside_of_an_operator_written_in_python_are_captured() -> None:
    buffer = torch.ones(3)
    graph = acl_graphs.Graph()
    with acl_graphs.capture(graph):
        result = torch.ops.graph_tests.twice(buffer)
    buffer.fill_(5)
    graph.replay()
    assert result.tolist() == [10, 10, 10]


def test_python_itself_is_not_replayed() -> None:
    buffer, seen = torch.ones(2), []
    graph = acl_graphs.Graph()
    with acl_graphs.capture(graph):
        seen.append(buffer + 1)
    graph.replay()
    assert len(seen) == 1


def test_an_operator_can_cut_a_capture_in_two() -> None:
    buffer, out = torch.ones(2), torch.zeros(2)
    pieces[:] = [torch.npu.NPUGraph()]
    pieces[0].capture_begin()
    torch.ops.graph_tests.breaking(buffer + 1, out)
    result = out + 1
    pieces[-1].capture_end()
    assert not is_current_stream_capturing()
    assert out.tolist() == [20, 20]
    out.fill_(7)
    pieces[-1].replay()
    assert result.tolist() == [8, 8]


def test_memory_freed_since_the_capture() -> None:
    buffer = torch.ones(3)
    graph = acl_graphs.Graph()
    with acl_graphs.capture(graph):
        torch.add(buffer, 1)
    del buffer
    with pytest.raises(ConstraintError, match=r"aten::add: a captured tensor of shape \(3,\) was freed"):
        graph.replay()


def test_memory_moved_since_the_capture() -> None:
    buffer = torch.ones(3)
    graph = acl_graphs.Graph()
    with acl_graphs.capture(graph):
        torch.add(buffer, 1)
    buffer.untyped_storage().resize_(1 << 20)
    with pytest.raises(ConstraintError, match=r"a captured tensor of shape \(3,\) moved"):
        graph.replay()


@pytest.mark.parametrize("look", [torch.Tensor.item, torch.nonzero, bool])
def test_a_look_at_a_value_during_a_capture(look: object) -> None:
    value = torch.ones(1)
    with (
        pytest.raises(ConstraintError, match="cannot wait for a stream that is captured"),
        acl_graphs.capture(acl_graphs.Graph()),
    ):
        look(value)  # type: ignore[operator]
    assert not is_current_stream_capturing()


def attend(buffers: dict[str, torch.Tensor], ends: list[int], lengths: list[int]) -> torch.Tensor:
    acl_graphs.used_by("layer")
    return attention.paged_attention(
        buffers["query"],
        buffers["key"],
        buffers["value"],
        query_ends=ends,
        context_lengths=lengths,
        block_table=buffers["table"],
        num_kv_heads=2,
        scale=0.25,
        causal=True,
    )


@pytest.fixture
def buffers() -> dict[str, torch.Tensor]:
    return {
        "query": torch.randn(2, 4, 16),
        "key": torch.randn(3, 128, 2, 16),
        "value": torch.randn(3, 128, 2, 16),
        "table": torch.tensor([[1], [2]], dtype=torch.int32),
    }


def test_a_replay_takes_the_lengths_that_were_published_last(buffers: dict[str, torch.Tensor]) -> None:
    attend(buffers, [1, 2], [1, 1])
    graph = acl_graphs.Graph()
    with acl_graphs.capture(graph):
        result = attend(buffers, [1, 2], [128, 128])
    for lengths in ([3, 100], [4, 101]):
        acl_graphs.publish(["layer"], {"actual_seq_lengths": [1, 2], "actual_seq_lengths_kv": lengths})
        graph.replay()
        torch.testing.assert_close(result, attend(buffers, [1, 2], lengths))


def test_a_capture_of_a_whole_batch_that_begins_without_the_context(
    buffers: dict[str, torch.Tensor], monkeypatch: pytest.MonkeyPatch
) -> None:
    attend(buffers, [1, 2], [1, 1])
    monkeypatch.setattr(acl_graphs, "_whole_batch", lambda: True)
    graph = acl_graphs.Graph()
    graph.capture_begin()
    result = attend(buffers, [1, 2], [128, 128])
    graph.capture_end()
    acl_graphs.publish(["layer"], {"actual_seq_lengths": [1, 2], "actual_seq_lengths_kv": [3, 100]})
    graph.replay()
    torch.testing.assert_close(result, attend(buffers, [1, 2], [3, 100]))


def test_an_update_comes_behind_the_replay_before(buffers: dict[str, torch.Tensor]) -> None:
    attend(buffers, [1, 2], [1, 1])
    arguments = {"actual_seq_lengths": [1, 2], "actual_seq_lengths_kv": [3, 100]}
    acl_graphs.publish(["layer"], arguments)
    ours, other = acl_graphs.Graph(), torch.npu.NPUGraph()
    with acl_graphs.capture(ours):
        attend(buffers, [1, 2], [128, 128])
    with torch.npu.graph(other, auto_dispatch_capture=True):
        attend(buffers, [1, 2], [128, 128])
    waits = recorder.counts["update_waits"]
    for _ in range(3):
        ours.replay()
    # The first replay has none before it.
    assert recorder.counts["update_waits"] == waits + 2
    other.update([arguments])
    other.replay()
    with pytest.raises(ConstraintError, match="the replay before, which nothing has waited for"):
        other.update([arguments])
    other.graph_dispatch_mode.update_stream.wait_event(torch.npu.Event())
    other.update([arguments])


def test_lengths_of_more_requests_than_were_captured(buffers: dict[str, torch.Tensor]) -> None:
    attend(buffers, [1, 2], [1, 1])
    graph = acl_graphs.Graph()
    with acl_graphs.capture(graph):
        attend(buffers, [1, 2], [128, 128])
    acl_graphs.publish(["layer"], {"actual_seq_lengths": [1, 2, 3], "actual_seq_lengths_kv": [5, 5, 5]})
    with pytest.raises(ConstraintError, match="captured for 2 sequences, actual_seq_lengths has 3"):
        graph.replay()


def test_a_replay_without_lengths_would_hang_the_device(buffers: dict[str, torch.Tensor]) -> None:
    attend(buffers, [1, 2], [1, 1])
    graph = torch.npu.NPUGraph()
    with torch.npu.graph(graph, auto_dispatch_capture=True):
        attend(buffers, [1, 2], [128, 128])
    with pytest.raises(ConstraintError, match="wait for ever"):
        graph.replay()


def test_lengths_stay_those_of_the_capture_where_it_did_not_ask_for_updates(
    buffers: dict[str, torch.Tensor],
) -> None:
    attend(buffers, [1, 2], [1, 1])
    graph = torch.npu.NPUGraph()
    with torch.npu.graph(graph):
        result = attend(buffers, [1, 2], [9, 9])
    graph.replay()
    torch.testing.assert_close(result, attend(buffers, [1, 2], [9, 9]))
    with pytest.raises(RuntimeError, match="auto_dispatch_capture"):
        graph.update([{"actual_seq_lengths_kv": [1, 1]}])


def test_padding_goes_to_the_empty_requests() -> None:
    assert acl_graphs.padded([1, 2, 2, 2], [7, 9, 0, 0], 4) == ([1, 2, 3, 4], [7, 9, 1, 1])
    assert acl_graphs.padded([2, 4, 4], [7, 9, 0], 6) == ([2, 4, 6], [7, 9, 2])


def test_a_batch_without_padding_stays() -> None:
    assert acl_graphs.padded([3, 5], [3, 9], 5) == ([3, 5], [3, 9])


def test_padding_that_no_request_can_take() -> None:
    with pytest.raises(ValueError, match="no request to take the padding"):
        acl_graphs.padded([1, 2], [7, 9], 4)
