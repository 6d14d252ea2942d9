"""A device named ``npu`` for a CPU build of torch: C++ below, and here what else the simulator needs of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torch_npu_sim.device import native

if TYPE_CHECKING:
    import torch

__all__ = ["counters", "device", "host", "load", "reset_counters"]


def load() -> None:
    """Register the device with torch, once a process; BuildError where it cannot be compiled."""
    from torch_npu_sim.device.register import register

    register()


def host(tensor: torch.Tensor) -> torch.Tensor:
    """Return a tensor of the CPU over the memory of a tensor of npu, which lives as long as either."""
    return native.functions().host(tensor)


def device(tensor: torch.Tensor, index: int | None = None) -> torch.Tensor:
    """Return a tensor of npu over the memory of a tensor of the CPU; the device is the current one unless named.

    What `host` made leads back to the storage that it shows. Other memory is counted as the device's from now on:
    hand over tensors that were made for it.
    """
    return native.functions().device(tensor, index)


def counters() -> dict[str, int]:
    """Return what the process did so far: copies and their bytes, waits of the host, allocations, CPU kernels."""
    return native.functions().counters()


def reset_counters() -> None:
    """Set all counters to zero."""
    native.functions().reset_counters()
