"""Triton without a device: completed when it is imported, and working on the memory of the device."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import torch

SOURCES = Path(__file__).parents[3] / "simulator" / "src"

KERNEL = """
import importlib.util
import torch
from torch_npu_sim.surface import loading
loading.load()
# Whoever only looks for triton takes nothing away.
importlib.util.find_spec("triton")
import triton
import triton.language as tl

@triton.jit
def add(x, y, n: tl.constexpr, by):
    at = tl.arange(0, n)
    tl.store(y + at, tl.load(x + at) + by)

x, y = torch.arange(8., device="npu"), torch.zeros(8, device="npu")
add[(1,)](x, y, 8, 2.5)
assert y.tolist() == [2.5 + i for i in range(8)]
graph = torch.npu.NPUGraph()
with torch.npu.graph(graph):
    add[(1,)](x, y, 8, 1.0)
x.zero_()
graph.replay()
print(y.tolist(), triton.runtime.driver.active.utils.get_device_properties(0)["num_aicore"])
"""


def run(folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    script = folder / "kernel.py"
    script.write_text(KERNEL)
    return subprocess.run(
        [sys.executable, str(script)],
        env=os.environ | {"PYTHONPATH": str(SOURCES), "CUDA_VISIBLE_DEVICES": "", **variables},
        capture_output=True, text=True, check=False,
    )  # fmt: skip


def test_a_kernel_writes_the_memory_of_the_device_and_a_graph_repeats_its_launch(tmp_path: Path) -> None:
    done = run(tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == f"{[1.0] * 8} {torch.npu.get_device_properties(0).cube_core_num}"


def test_an_absent_triton_cannot_be_imported(tmp_path: Path) -> None:
    done = run(tmp_path, TORCH_NPU_SIM_TRITON="absent")
    assert "No module named 'triton' (TORCH_NPU_SIM_TRITON=absent)" in done.stderr


def test_an_unknown_kind_is_told(tmp_path: Path) -> None:
    done = run(tmp_path, TORCH_NPU_SIM_TRITON="compiled")
    assert "TORCH_NPU_SIM_TRITON=compiled is none of absent, interpreted" in done.stderr
