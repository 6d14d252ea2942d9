"""torch.npu's functions on devices, streams and events. Work is done when the call returns, so nothing is awaited."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch

from torch_npu_sim.device import native

__all__ = [
    "Event",
    "Stream",
    "StreamContext",
    "_is_in_bad_fork",
    "_lazy_init",
    "can_device_access_peer",
    "current_device",
    "current_stream",
    "default_stream",
    "device",
    "device_count",
    "device_of",
    "get_amp_supported_dtype",
    "get_device_capability",
    "get_device_name",
    "get_device_properties",
    "init",
    "is_available",
    "is_bf16_supported",
    "is_initialized",
    "maybe_exchange_device",
    "set_device",
    "set_stream",
    "stream",
    "synchronize",
]

Place = torch.device | str | int | None


def index_of(place: Place) -> int:
    """Return a device's number, the current one's for None; ValueError for a device of another type."""
    if place is None:
        return current_device()
    if isinstance(place, int):
        return place
    place = torch.device(place)
    if place.type != "npu":
        raise ValueError(f"Expected a npu device, but got: {place}")
    return current_device() if place.index is None else place.index


def is_available() -> bool:
    """Say whether there is a device."""
    return device_count() > 0


def is_initialized() -> bool:
    """Say whether this process has used a device."""
    return bool(native.functions().started())


def init() -> None:
    """Use the device; RuntimeError in the fork of a process that had used it."""
    native.functions().start()


def _lazy_init() -> None:
    init()


def _is_in_bad_fork() -> bool:
    return bool(native.functions().in_bad_fork())


def device_count() -> int:
    """Return the number of devices; asking for it uses none."""
    return int(native.functions().device_count())


def current_device() -> int:
    """Return the number of this thread's device."""
    return int(native.functions().current_device())


def set_device(place: Place) -> None:
    """Make a device this thread's; RuntimeError when there is none of that number."""
    init()
    native.functions().exchange_device(index_of(place))


def maybe_exchange_device(index: int) -> int:
    """Make a device this thread's unless its number is negative, and return the one before."""
    return current_device() if index < 0 else int(native.functions().exchange_device(index))


class device:
    """A context in which a device is this thread's."""

    def __init__(self, place: Place) -> None:
        self.idx = -1 if place is None else index_of(place)
        self.prev_idx = -1

    def __enter__(self) -> device:
        self.prev_idx = maybe_exchange_device(self.idx)
        return self

    def __exit__(self, *_: object) -> None:
        maybe_exchange_device(self.prev_idx)


class device_of(device):
    """A context in which a tensor's device is this thread's, if it is one of npu."""

    def __init__(self, obj: torch.Tensor) -> None:
        super().__init__(obj.device if obj.device.type == "npu" else None)


def synchronize(place: Place = None) -> None:
    """Wait for a device: counted as a wait of the host."""
    index = index_of(place)
    with device(index):
        init()
        native.functions().count_wait()


class Stream(torch.Stream):
    """A stream of the device. Whatever is put into it has been done when the call returns."""

    def __new__(cls, device: Place = None, priority: int = 0, **which: Any) -> Stream:
        """Return a new stream, or by stream_id, device_index and device_type one that is there."""
        if which:
            return super().__new__(cls, priority=priority, **which)
        return super().__new__(cls, device=torch.device("npu", index_of(device)), priority=priority)

    @property
    def npu_stream(self) -> int:
        """Return the handle."""
        return int(self.stream_id)

    def record_event(self, event: torch.Event | None = None) -> torch.Event:
        """Record an event, or a new one, and return it."""
        event = Event() if event is None else event
        event.record(self)
        return event

    @property
    def _as_parameter_(self) -> int:
        return self.npu_stream


class Event(torch.Event):
    """An event of the device."""

    def __new__(cls, enable_timing: bool = False, blocking: bool = False, interprocess: bool = False) -> Event:
        """Return a new event of the current device."""
        return super().__new__(cls, device=torch.device("npu", current_device()), enable_timing=enable_timing)

    def elapsed_time(self, end_event: torch.Event) -> float:
        """Return the milliseconds until another event; RuntimeError unless both are timed and recorded."""
        # torch's own method takes nothing but torch.Event itself.
        return float(native.functions().elapsed(self.event_id, end_event.event_id))


def _ours(one: torch.Stream) -> Stream:
    return Stream(stream_id=one.stream_id, device_index=one.device_index, device_type=one.device_type)


def current_stream(place: Place = None) -> Stream:
    """Return this thread's stream of a device."""
    return _ours(torch.accelerator.current_stream(torch.device("npu", index_of(place))))


def default_stream(place: Place = None) -> Stream:
    """Return the stream that a device begins with."""
    like = torch.accelerator.current_stream(torch.device("npu", index_of(place)))
    return Stream(stream_id=0, device_index=like.device_index, device_type=like.device_type)


def set_stream(stream: torch.Stream | None) -> None:
    """Make a stream this thread's, and its device."""
    if stream is not None:
        torch.accelerator.set_stream(stream)


class StreamContext:
    """A context in which a stream and its device are this thread's."""

    def __init__(self, stream: torch.Stream | None) -> None:
        self.stream = stream
        self._before: list[torch.Stream] = []

    def __enter__(self) -> torch.Stream | None:
        if self.stream is not None:
            here = current_stream()
            self._before = [current_stream(self.stream.device), here]
            set_stream(self.stream)
        return self.stream

    def __exit__(self, *_: object) -> None:
        for stream in self._before:
            set_stream(stream)
        self._before = []


def stream(stream: torch.Stream | None) -> StreamContext:
    """Return a context in which a stream is this thread's."""
    return StreamContext(stream)


@dataclass(frozen=True)
class DeviceProperties:
    """The properties that the simulator reports of a device."""

    name: str
    total_memory: int
    cube_core_num: int = 24
    vector_core_num: int = 48
    L2_cache_size: int = 192 << 20
    major: int = 9
    minor: int = 0


def get_device_name(place: Place = None) -> str:
    """Return the name of the part that is simulated."""
    index_of(place)
    return "Ascend910B3"


def get_device_properties(place: Place = None) -> DeviceProperties:
    """Return a device's name, memory and cores."""
    return DeviceProperties(get_device_name(place), native.functions().free_and_total(index_of(place))[1])


def get_device_capability(place: Place = None) -> None:
    """Return nothing, as torch_npu does."""
    index_of(place)


def can_device_access_peer(one: Place, other: Place) -> bool:
    """Say that devices see each other's memory."""
    return index_of(one) != index_of(other)


def is_bf16_supported() -> bool:
    """Say that there is bfloat16."""
    return True


def get_amp_supported_dtype() -> list[torch.dtype]:
    """Return what torch.autocast may ask for."""
    return [torch.float16, torch.bfloat16]
