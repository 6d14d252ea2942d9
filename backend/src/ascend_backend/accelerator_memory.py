"""The functions of ``torch.accelerator`` on memory, which vLLM and this backend call, for every torch_npu.

torch sends them to the allocator of the device if that is a ``c10::DeviceAllocator``. The one of torch_npu before
2.13 is none: every call ends in "Allocator for npu is not a DeviceAllocator". ``torch.npu`` has the same functions.
"""

from functools import partial

import torch

#: Functions of torch.accelerator, and what torch.npu calls each. The cache of the host is no matter of the device.
_NAMES = {
    "empty_cache": "empty_cache",
    "get_memory_info": "mem_get_info",
    "max_memory_allocated": "max_memory_allocated",
    "max_memory_reserved": "max_memory_reserved",
    "memory_allocated": "memory_allocated",
    "memory_reserved": "memory_reserved",
    "memory_stats": "memory_stats",
    "reset_accumulated_memory_stats": "reset_accumulated_memory_stats",
    "reset_peak_memory_stats": "reset_peak_memory_stats",
}


def ask_torch_npu() -> None:
    """Make the functions those of torch.npu where torch_npu's allocator answers none of them.

    torch_npu has to be imported. Called again, it changes nothing.
    """
    if _answers():
        return
    for name, of_npu in _NAMES.items():
        # partial objects, because torch.compile refuses to register one function under two names.
        setattr(torch.accelerator, name, partial(getattr(torch.npu, of_npu)))


def _answers() -> bool:
    """Return whether the allocator is one that torch.accelerator can ask.

    What torch asks first in each of the functions, and it fails where they do. Unlike them it begins no device, which
    a process that forks later must not. A failure for any other reason does no harm: torch.npu's functions are right
    beside each torch_npu.
    """
    try:
        torch._C._accelerator_isAllocatorInitialized()
    except RuntimeError:
        return False
    return True
