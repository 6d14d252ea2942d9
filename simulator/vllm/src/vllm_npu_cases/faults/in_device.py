"""Faults in the simulated device itself: graphs, memory, random numbers, collectives."""

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

from torch_npu_sim import faults


def stale_update() -> None:
    """Updates of graphs keep what was captured."""
    import torch
    from torch_npu_sim.graphs import recorder

    def of_task(correct: Callable[..., Any]) -> Callable[..., Any]:
        return lambda stream, handle: correct(stream, [dataclasses.replace(call) for call in handle])

    def of_graph(correct: Callable[..., Any]) -> Callable[..., Any]:
        def keep(graph: Any, cpu_update_input: Any) -> None:
            graph._updated = True

        return keep

    faults.in_member("stale_update", torch.npu, "graph_task_update_begin", of_task)
    faults.in_member("stale_update", recorder.NPUGraph, "update", of_graph)


def replay_overtaken() -> None:
    """Host arguments are brought to a graph without waiting for its replay before, which may not have read its own."""
    from torch_npu_sim.graphs import recorder

    faults.in_member("replay_overtaken", recorder.UpdateStream, "wait_event", lambda correct: lambda stream, event: None)


def call_left_out() -> None:
    """Replays of graphs leave out the activation: its result stays that of the capture."""
    from torch_npu_sim.graphs import recorder

    faults.in_member(
        "call_left_out", recorder, "_repeat", lambda correct: lambda call: None,
        when=lambda call: call.name == "npu::npu_swiglu",
    )  # fmt: skip


def cache_update_left_out() -> None:
    """Replays of graphs store no keys and values: the operator that does it was not captured."""
    from torch_npu_sim.graphs import recorder

    faults.in_member(
        "cache_update_left_out", recorder, "_repeat", lambda correct: lambda call: None,
        when=lambda call: call.name == "npu::npu_scatter_pa_kv_cache",
    )  # fmt: skip


def all_reduce_left_out() -> None:
    """Values that the processes of a group have on their devices are not added up."""
    import torch

    faults.in_member(
        "all_reduce_left_out", torch.distributed, "all_reduce", lambda correct: lambda *arguments, **keywords: None,
        when=lambda tensor, *arguments, **keywords: tensor.device.type == "npu",
    )  # fmt: skip


def own_share_alone() -> None:
    """Where the devices of a group add up and share out, each keeps what it had of its share."""
    import torch

    def change(correct: Callable[..., Any]) -> Callable[..., Any]:
        def own(output: Any, input: Any, *arguments: Any, group: Any = None, **keywords: Any) -> None:
            rank = torch.distributed.get_rank(group)
            output.copy_(input[rank * output.shape[0] : (rank + 1) * output.shape[0]])

        return own

    faults.in_member("own_share_alone", torch.distributed, "reduce_scatter_tensor", change)


def zeros_sent() -> None:
    """A process sends zeros to the next one."""
    import torch

    def change(correct: Callable[..., Any]) -> Callable[..., Any]:
        return lambda tensor, *arguments, **keywords: correct(torch.zeros_like(tensor), *arguments, **keywords)

    for name in ("send", "isend"):
        faults.in_member(
            "zeros_sent", torch.distributed, name, change,
            when=lambda tensor, *arguments, **keywords: tensor.device.type == "npu",
        )  # fmt: skip


def seeds_ignored() -> None:
    """Generators have the same seed, whichever they are given."""
    import torch

    class Seedless(torch.Generator):
        def manual_seed(self, seed: int) -> torch.Generator:
            faults.note("seeds_ignored")
            return super().manual_seed(1)

    torch.Generator = Seedless  # type: ignore[misc]


def memory_kept() -> None:
    """Memory that is given up stays where it is."""
    from torch_npu_sim.device import segments

    for name in ("unmap", "remap"):
        faults.in_member("memory_kept", segments, name, lambda correct: lambda address: None)


FAULTS: Mapping[str, Callable[[], None]] = {
    each.__name__: each
    for each in (
        *(stale_update, replay_overtaken, call_left_out, cache_update_left_out, all_reduce_left_out, own_share_alone),
        *(zeros_sent, seeds_ignored, memory_kept),
    )
}
