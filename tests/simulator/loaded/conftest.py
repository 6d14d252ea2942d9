"""Tests of the whole simulation as ``import torch`` loads it; ``TORCH_NPU_SIM_WHEEL`` names the wheel."""

from __future__ import annotations

import os
from pathlib import Path

# Read when the simulation is loaded, which the fixture does; the sources stand on the path, without an entry point.
os.environ |= {
    "TORCH_DEVICE_BACKEND_AUTOLOAD": "0",
    "TORCH_NPU_SIM_MEMORY": "256MiB",
    "TORCH_NPU_SIM_CSRC": str(Path(__file__).parent / "binding.cpp"),
    "TORCH_NPU_SIM_STAND_INS": "acl,some_plugin_C",
}

from torch_npu_sim.surface import loading

loading.load()
