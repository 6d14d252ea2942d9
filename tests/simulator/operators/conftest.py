"""Tests of references need torch, and a torch_npu wheel that ``TORCH_NPU_SIM_WHEEL`` names; no vLLM.

Operators of a plugin's own extension are declared with the schemas in ``extension_schemas.txt``, which are those of
vllm-ascend 0.30.0rc2, or 0.28.0rc1 of what is gone since (``csrc/torch_binding.cpp``), and ATB's with those of torch_npu 2.10.0.post4 where the wheel has
none that can be read.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

os.environ |= {"TORCH_NPU_SIM_FLOAT32": "1", "TORCH_DEVICE_BACKEND_AUTOLOAD": "0"}

import torch
from torch_npu_sim import device, operators, references
from torch_npu_sim.schemas import wheel
from torch_npu_sim.settings import variable
from torch_npu_sim.surface.loading import left_out


def _declare_the_rest() -> None:
    found: dict[str, dict[str, str]] = {}
    for line in (Path(__file__).parent / "extension_schemas.txt").read_text(encoding="utf-8").splitlines():
        namespace, _, schema = line.partition("::")
        name = schema.partition("(")[0]
        if not hasattr(getattr(torch.ops, namespace), name):
            found.setdefault(namespace, {})[name] = schema
    for namespace, schemas in found.items():
        operators.declare(schemas, namespace)


device.load()
references.load()
declared = wheel.read(wheel.locate())
unknown = left_out(declared)
operators.declare({name: schema for name, schema in declared.items() if name not in unknown})
_declare_the_rest()


@pytest.fixture(autouse=True)
def seeded_and_tolerant(monkeypatch: pytest.MonkeyPatch) -> None:
    """Random tensors are the same in every run; what devices take although no document says so, is taken."""
    torch.manual_seed(0)
    monkeypatch.delenv(variable("strict"), raising=False)
