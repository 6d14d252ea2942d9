"""Registers the device with torch: its name, its module ``torch.npu``, the methods of tensors, its backend hccl."""

from __future__ import annotations

import functools
import sys
from types import ModuleType

from torch_npu_sim.device import current, memory, native, random
from torch_npu_sim.settings import Settings, read_settings

#: The first torch_npu whose allocator is a c10::DeviceAllocator. Found in the wheels 2.9.0 to 2.12.0, which have
#: none, and 2.13.0 and 2.14.0, which have one.
FIRST_WITH_DEVICE_ALLOCATOR = (2, 13)


@functools.cache
def register() -> None:
    """Register the device, once a process; BuildError where it cannot be compiled."""
    import torch

    settings = read_settings()
    compiled = native.functions()
    torch.utils.rename_privateuse1_backend("npu")
    compiled.set_device_count(settings.devices)
    for index in range(settings.devices):
        compiled.set_total(index, settings.memory)
    compiled.register_device(has_device_allocator(settings))
    torch._register_device_module("npu", _module())
    torch.utils.generate_methods_for_privateuse1_backend(
        for_tensor=True, for_module=True, for_packed_sequence=True, for_storage=True
    )
    from torch_npu_sim.device import hccl

    hccl.register()


def has_device_allocator(settings: Settings) -> bool:
    """Say whether torch.accelerator's memory functions answer, by the version that is simulated, or else torch's."""
    import torch

    of_torch = tuple(map(int, torch.__version__.split("+")[0].split(".")[:2]))
    version = settings.version or settings.wheel_version or of_torch
    return version >= FIRST_WITH_DEVICE_ALLOCATOR


def _module() -> ModuleType:
    """Return torch.npu with what the device itself gives to it."""
    module = ModuleType("torch.npu", "The simulated device.")
    for part in (current, memory, random):
        for name in part.__all__:
            setattr(module, name, getattr(part, name))
    sys.modules[module.__name__] = module
    return module
