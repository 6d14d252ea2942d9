"""Segments that can be given up and taken back in place, as memory that is mapped by a plugin's own allocator.

A plugin's compiled extension does this with the device's driver. What stands in for the extension says here who is
told of segments, and maps them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from torch_npu_sim.device import native


@dataclass(frozen=True)
class Listener:
    """Who is told of a new segment by device, bytes and address, and of one that goes by its address."""

    made: Callable[[int, int, int], object]
    gone: Callable[[int], object]


_listener: Listener | None = None


def listen(made: Callable[[int, int, int], object], gone: Callable[[int], object]) -> None:
    """Say who is told of the segments of pools whose allocator is made from now on."""
    global _listener
    _listener = Listener(made, gone)


def listener() -> Listener | None:
    """Return who is told, or None."""
    return _listener


def unmap(address: int) -> None:
    """Give a segment's memory up: it is free for others, and what was in it is gone. RuntimeError for no segment."""
    native.functions().set_mapped(address, False)


def remap(address: int) -> None:
    """Take a segment's memory back at its address, full of zeros. OutOfMemoryError when others have it."""
    native.functions().set_mapped(address, True)
