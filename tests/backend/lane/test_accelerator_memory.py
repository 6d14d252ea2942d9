"""torch.accelerator's functions on memory answer beside every torch_npu: one that has them, and one that lacks them."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

#: Without the plugin torch is asked alone; with it vLLM has loaded the plugin, as it does in every process.
BEGIN = """
import torch
from torch_npu_sim.device import native
known = {name: getattr(torch.accelerator, name) for name in torch.accelerator.memory.__all__}
"""
PLUGIN = """
from ascend_backend import plugin
plugin.register(), plugin.register()
print("replaced", *(name for name in known if known[name] is not getattr(torch.accelerator, name)))
print("begun", native.functions().started())
"""
USE = """
of = torch.accelerator
kept, freed = (torch.ones(1 << 20, dtype=torch.uint8, device="npu:1") for _ in range(2))
del freed
for place in (1, "npu:1", torch.device("npu", 1)):
    print(of.memory_allocated(place) >> 20, of.max_memory_allocated(place) >> 20)
print(of.memory_allocated(), of.memory_stats(1)["allocated_bytes.all.peak"] >> 20)
of.reset_peak_memory_stats(1), of.reset_accumulated_memory_stats(1)
print(of.max_memory_allocated(1) >> 20)
reserved = of.memory_reserved(1)
print(of.max_memory_reserved(1) == reserved > 0, of.get_memory_info(1) == torch.npu.mem_get_info(1))
del kept
of.empty_cache()
print(of.memory_reserved(1))
"""
ANSWERS = ["1 2", "1 2", "1 2", "0 2", "1", "True True", "0"]
OF_THE_ALLOCATOR = (
    "empty_cache get_memory_info max_memory_allocated max_memory_reserved memory_allocated memory_reserved memory_stats "
    "reset_accumulated_memory_stats reset_peak_memory_stats"
)


def asked(torch_npu: str, program: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | {"TORCH_NPU_SIM_VERSION": torch_npu},
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize(
    ("torch_npu", "replaced"),
    [
        pytest.param("2.11.0", f" {OF_THE_ALLOCATOR}", id="no DeviceAllocator: torch_npu is asked"),
        pytest.param("2.13.0", "", id="a DeviceAllocator: torch's own functions stay"),
    ],
)
def test_memory_is_known_and_no_device_begun_to_find_out(torch_npu: str, replaced: str) -> None:
    process = asked(torch_npu, BEGIN + PLUGIN + USE)
    assert process.returncode == 0, process.stderr
    found = [line for line in process.stdout.splitlines() if not line.startswith(("INFO", "WARNING"))]
    assert found == [f"replaced{replaced}", "begun False", *ANSWERS]


def test_without_the_plugin_the_older_one_refuses() -> None:
    process = asked("2.11.0", BEGIN + USE)
    assert process.returncode == 1
    assert "is not a DeviceAllocator" in process.stderr
