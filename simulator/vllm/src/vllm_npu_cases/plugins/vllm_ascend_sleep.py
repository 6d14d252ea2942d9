"""Stands in for the part of vllm-ascend's compiled extension that gives the device's memory up and takes it back.

Its names are those of ``csrc/camem_allocator.cpp``; a handle is device, bytes, address and the driver's own number.
"""

from collections.abc import Callable

from torch_npu_sim.device import segments

Handle = tuple[int, int, int, int]


def init_module(python_malloc: Callable[[Handle], object], python_free: Callable[[int], object]) -> None:
    """Say who is told of memory that is mapped, and of memory that goes."""
    segments.listen(lambda device, size, address: python_malloc((device, size, address, address)), python_free)


def python_create_and_map(device: int, size: int, address: int, handle: int) -> None:
    """Take memory back at its address."""
    segments.remap(address)


def python_unmap_and_release(device: int, size: int, address: int, handle: int) -> None:
    """Give memory up."""
    segments.unmap(address)
