"""Tests that need a lane's vLLM and torch: run them with the python of a lane environment.

``TORCH_NPU_SIM_WHEEL`` must name the lane's torch_npu wheel.
"""

from __future__ import annotations

import os

import pytest

# Read by Triton and vLLM when they are imported, which the test modules do.
os.environ.update(
    TORCH_NPU_SIM_FLOAT32="1",
    TORCH_NPU_SIM_STRICT="1",
    TRITON_INTERPRET="1",
    CUDA_VISIBLE_DEVICES="",
    HF_HUB_OFFLINE="1",
    VLLM_NO_USAGE_STATS="1",
    VLLM_PLUGINS="ascend,ascend_layers",
)

import torch

# Whatever a test makes is on the simulated device, unless it says where it wants it.
torch.set_default_device("npu")


@pytest.fixture
def seed() -> None:
    """Random tensors are the same in every run."""
    torch.manual_seed(0)


@pytest.fixture
def without_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only what references refuse themselves: the documents' rows, which come first in strict runs, have tests of
    their own (tests/simulator/operators/test_documented.py)."""
    from torch_npu_sim.strictness import enforcement

    monkeypatch.setattr(enforcement, "check", lambda rows, call: None)
