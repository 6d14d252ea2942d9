"""torch.npu's functions on memory, by the figures that the device's allocator keeps."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from torch_npu_sim.device import native, segments
from torch_npu_sim.device.current import Place, index_of, init

__all__ = [
    "MemPool",
    "NPUPluggableAllocator",
    "empty_cache",
    "get_allocator_backend",
    "get_per_process_memory_fraction",
    "max_memory_allocated",
    "max_memory_cached",
    "max_memory_reserved",
    "mem_get_info",
    "memory_allocated",
    "memory_cached",
    "memory_reserved",
    "memory_snapshot",
    "memory_stats",
    "memory_stats_as_nested_dict",
    "reset_accumulated_memory_stats",
    "reset_max_memory_allocated",
    "reset_max_memory_cached",
    "reset_peak_memory_stats",
    "set_per_process_memory_fraction",
    "use_mem_pool",
]

_fractions: dict[int, float] = {}
_pool_numbers = itertools.count(1)


def empty_cache() -> None:
    """Give the segments back of which nothing is in use."""
    if native.functions().started():
        native.functions().empty_cache()


def memory_stats(device: Place = None) -> dict[str, int]:
    """Return all figures of a device's allocator by torch's names, sorted; nothing before the first use."""
    if not native.functions().started():
        return {}
    return dict(sorted(native.functions().memory_stats(index_of(device)).items()))


def memory_stats_as_nested_dict(device: Place = None) -> dict[str, Any]:
    """Return the figures as dictionaries in each other: one level for each dot of a name."""
    nested: dict[str, Any] = {}
    for name, value in memory_stats(device).items():
        *levels, last = name.split(".")
        inner = nested
        for level in levels:
            inner = inner.setdefault(level, {})
        inner[last] = value
    return nested


def _figure(name: str, device: Place) -> int:
    return memory_stats(device).get(name, 0)


def memory_allocated(device: Place = None) -> int:
    """Return the bytes that tensors hold."""
    return _figure("allocated_bytes.all.current", device)


def max_memory_allocated(device: Place = None) -> int:
    """Return the most bytes that tensors held."""
    return _figure("allocated_bytes.all.peak", device)


def memory_reserved(device: Place = None) -> int:
    """Return the bytes of all segments."""
    return _figure("reserved_bytes.all.current", device)


def max_memory_reserved(device: Place = None) -> int:
    """Return the most bytes that all segments had."""
    return _figure("reserved_bytes.all.peak", device)


memory_cached = memory_reserved
max_memory_cached = max_memory_reserved


def reset_peak_memory_stats(device: Place = None) -> None:
    """Let the peaks begin anew at what is held now."""
    native.functions().reset_peaks(index_of(device))


reset_max_memory_allocated = reset_peak_memory_stats
reset_max_memory_cached = reset_peak_memory_stats


def reset_accumulated_memory_stats(device: Place = None) -> None:
    """Let the sums begin anew at zero."""
    native.functions().reset_totals(index_of(device))


def mem_get_info(device: Place = None) -> tuple[int, int]:
    """Return the free and the total bytes of a device, as this process knows them."""
    init()
    free, total = native.functions().free_and_total(index_of(device))
    return free, total


def set_per_process_memory_fraction(fraction: float, device: Place = None) -> None:
    """Let this process have part of a device's memory; ValueError outside 0 to 1."""
    if not 0 <= fraction <= 1:
        raise ValueError(f"Invalid fraction value: {fraction}. Allowed range: 0~1")
    native.functions().set_fraction(index_of(device), fraction)
    _fractions[index_of(device)] = fraction


def get_per_process_memory_fraction(device: Place = None) -> float:
    """Return the part that this process may have."""
    return _fractions.get(index_of(device), 1.0)


def memory_snapshot() -> list[dict[str, Any]]:
    """Return all segments of all devices with their blocks."""
    found: list[dict[str, Any]] = []
    for index in range(native.functions().device_count()):
        found += native.functions().snapshot(index)
    return found


def get_allocator_backend() -> str:
    """Return the allocator's name."""
    return "native"


class NPUPluggableAllocator:
    """An allocator of a plugin's own. Its compiled functions are not called: who listens to segments is told of them."""

    def __init__(self, path_to_lib_file: str | None, alloc_fn_name: str, free_fn_name: str) -> None:
        listener = segments.listener()
        if listener is None:
            raise RuntimeError(
                f"the simulation does not call {alloc_fn_name} of {path_to_lib_file}: it is compiled for the device"
            )
        self._allocator = listener

    def allocator(self) -> segments.Listener:
        """Return who is told of segments."""
        return self._allocator


class MemPool:
    """Blocks of their own: what is allocated in it is only reused in it. With an allocator, segments of their own."""

    def __init__(self, allocator: segments.Listener | None = None) -> None:
        self.allocator = allocator
        self.id = (0, next(_pool_numbers))
        if allocator is not None:
            native.functions().set_mapped_pool(self.id[1], allocator.made, allocator.gone)


@contextmanager
def use_mem_pool(pool: MemPool, device: Place = None) -> Iterator[None]:
    """Allocate from a pool in this thread."""
    index_of(device)
    before = native.functions().exchange_pool(pool.id[1])
    try:
        yield
    finally:
        native.functions().exchange_pool(before)
