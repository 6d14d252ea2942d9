"""The compiled part of the device: loaded once, from the wheel or from the cache of this machine."""

from __future__ import annotations

import functools
import importlib.util
from importlib.machinery import ExtensionFileLoader
from types import ModuleType

from torch_npu_sim.device.build import MODULE, extension


@functools.cache
def functions() -> ModuleType:
    """Return the functions of the compiled device; BuildError where it cannot be compiled."""
    import torch  # noqa: F401  (its libraries have to be in the process)

    loader = ExtensionFileLoader(MODULE, str(extension()))
    spec = importlib.util.spec_from_loader(MODULE, loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module
