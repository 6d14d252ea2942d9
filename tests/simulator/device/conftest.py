"""Tests of the simulated device: run them with the python of an environment that has a CPU build of torch."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator

import pytest

# Read when torch is imported and when the device is registered, which the test modules do.
os.environ |= {
    "TORCH_DEVICE_BACKEND_AUTOLOAD": "0",
    "TORCH_NPU_SIM_MEMORY": "1GiB",
    "TORCH_NPU_SIM_DEVICES": "4",
}
os.environ.pop("TORCH_NPU_SIM_WHEEL", None)


@pytest.fixture(scope="session", autouse=True)
def npu() -> None:
    """The device is registered before the first test."""
    from torch_npu_sim import device

    device.load()
    # What is there by now stays: to look through it before each test took most of their time.
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def unused() -> Iterator[None]:
    """Each test begins on the first device with an empty cache, counters at zero and known random numbers."""
    import torch
    from torch_npu_sim import device

    gc.collect()
    torch.npu.set_device(0)
    torch.npu.empty_cache()
    torch.npu.reset_peak_memory_stats()
    torch.npu.manual_seed_all(0)
    torch.manual_seed(0)
    device.reset_counters()
    yield
    torch.npu.set_device(0)
