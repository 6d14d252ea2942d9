"""Stand-ins for ``torch.npu``, ``torch_npu`` and the parts of torch that fail without a device."""

import functools
import importlib.machinery
import sys
import time
import types
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import psutil
import torch

from torch_npu_sim.graphs import recorder

#: What the simulated device claims to be.
NAME = "Ascend910B (simulated)"
MEMORY = 16 << 30
AI_CORES = 24
COUNT = 8


class Event:
    """An event of a stream: work is done by the time it is recorded."""

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        self._time = 0.0

    def record(self, stream: "Stream | None" = None) -> None:
        """Remember the time."""
        self._time = time.perf_counter()

    def wait(self, stream: "Stream | None" = None) -> None:
        """Return at once."""

    def synchronize(self) -> None:
        """Return at once."""

    def query(self) -> bool:
        """Return that the work is done."""
        return True

    def elapsed_time(self, end: "Event") -> float:
        """Return the milliseconds between two records."""
        return (end._time - self._time) * 1e3


class Stream:
    """A stream: work is done in the order of the calls."""

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        self.device = torch.device("cpu")

    def wait_stream(self, stream: "Stream") -> None:
        """Return at once."""

    def wait_event(self, event: Event) -> None:
        """Return at once."""

    def record_event(self, event: Event | None = None) -> Event:
        """Return the event, recorded."""
        event = Event() if event is None else event
        event.record(self)
        return event

    def synchronize(self) -> None:
        """Return at once."""

    def query(self) -> bool:
        """Return that the work is done."""
        return True

    def __enter__(self) -> "Stream":
        return self

    def __exit__(self, *exception: object) -> None:
        return None


_stream = Stream()


def _nothing(*arguments: Any, **keywords: Any) -> None:
    return None


def _itself(tensor: torch.Tensor, *arguments: Any, **keywords: Any) -> torch.Tensor:
    return tensor


def _unpinned(factory: Callable[..., torch.Tensor]) -> Callable[..., torch.Tensor]:
    """Return ``factory`` without its argument ``pin_memory``, which vLLM sets in places come what may."""

    @functools.wraps(factory)
    def make(*arguments: Any, pin_memory: bool = False, **keywords: Any) -> torch.Tensor:
        return factory(*arguments, **keywords)

    return make


def _current_stream(device: Any = None) -> Stream:
    return _stream


def _stream_context(stream: Stream | None = None) -> AbstractContextManager[Any]:
    return nullcontext() if stream is None else stream


def _resident() -> int:
    return int(psutil.Process().memory_info().rss)


def _memory_info(device: Any = None) -> tuple[int, int]:
    """Return free and total bytes; only this process counts, so that others cannot disturb a profile run."""
    return MEMORY - _resident(), MEMORY


def _memory_stats(device: Any = None) -> dict[str, int]:
    resident = _resident()
    return {"allocated_bytes.all.peak": resident, "allocated_bytes.all.current": resident}


def _memory(device: Any = None) -> int:
    return _resident()


def _properties(device: Any = None) -> types.SimpleNamespace:
    return types.SimpleNamespace(name=NAME, total_memory=MEMORY, cube_core_num=AI_CORES, vector_core_num=2 * AI_CORES)


#: Functions of torch that can make pinned tensors.
_FACTORIES = ("empty", "zeros", "ones", "full", "tensor", "arange", "empty_like", "zeros_like")

#: Functions that torch.npu and torch.accelerator have in common.
_SHARED = {
    "synchronize": _nothing,
    "empty_cache": _nothing,
    "device_count": lambda: COUNT,
    "is_available": lambda: True,
    "current_stream": _current_stream,
    "set_stream": _nothing,
    "memory_stats": _memory_stats,
    "memory_reserved": _memory,
    "memory_allocated": _memory,
    "max_memory_allocated": _memory,
    "max_memory_reserved": _memory,
    "reset_peak_memory_stats": _nothing,
}

_NPU = {
    **_SHARED,
    **recorder.MEMBERS,
    "Stream": Stream,
    "Event": Event,
    "default_stream": _current_stream,
    "stream": _stream_context,
    "set_device": _nothing,
    "current_device": lambda: 0,
    "get_device_name": lambda device=None: NAME,
    "get_device_properties": _properties,
    "mem_get_info": _memory_info,
    "manual_seed": _nothing,
    "manual_seed_all": _nothing,
}

_ACCELERATOR = {
    **_SHARED,
    "empty_host_cache": _nothing,
    "set_device_index": _nothing,
    "current_device_index": lambda: 0,
    "get_memory_info": _memory_info,
}


def _module(name: str, members: dict[str, Any]) -> types.ModuleType:
    module = types.ModuleType(name)
    # transformers asks importlib.util.find_spec whether torch_npu is there.
    module.__spec__ = importlib.machinery.ModuleSpec(name, None)
    vars(module).update(members)
    sys.modules[name] = module
    return module


def install(version: str) -> None:
    """Put the stand-ins into ``torch`` and ``sys.modules``; ``version`` is that of the torch_npu wheel."""
    npu = _module("torch.npu", _NPU)
    torch.npu = npu  # type: ignore[attr-defined]
    recorder.install()
    # The real torch_npu serves torch.accelerator; without a device it raises.
    vars(torch.accelerator).update(_ACCELERATOR)
    # Some releases of vLLM ask the module of the device type, which is torch.npu on the real device.
    vars(torch.cpu).update((name, each) for name, each in _NPU.items() if not hasattr(torch.cpu, name))
    # Host memory is the device's memory: nothing has to be pinned, and torch refuses to without a device.
    torch.Tensor.pin_memory = _itself  # type: ignore[assignment,method-assign]
    for name in _FACTORIES:
        setattr(torch, name, _unpinned(getattr(torch, name)))
    # Timers of vLLM make events of no particular device.
    torch.Event = Event  # type: ignore[assignment,misc]
    torch.Tensor.record_stream = _nothing  # type: ignore[assignment,method-assign]
    # The simulated device frees memory with its last tensor, a weak reference or not.
    internals = types.SimpleNamespace(_weak_ref_tensor=torch.Tensor.detach)
    torch_npu = _module("torch_npu", {"npu": npu, "__version__": version, "_C": internals})
    torch_npu.__getattr__ = lambda name: getattr(torch.ops.npu, name)  # type: ignore[method-assign]
