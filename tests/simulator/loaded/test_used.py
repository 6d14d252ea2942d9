"""Processes note the modules of the references that they asked."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
import torch_npu


def test_a_module_is_noted_once_and_an_operator_without_a_reference_as_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    x = torch.randn(2, 8, device="npu", dtype=torch.float16)
    torch_npu.npu_swiglu(x)
    notes = tmp_path / "used"
    monkeypatch.setenv("TORCH_NPU_SIM_USED", str(notes))
    for _ in range(2):
        torch_npu.npu_swiglu(x)
        torch_npu.npu_rms_norm(x, x[0])
    assert notes.read_text().split() == [
        "torch_npu_sim.references.activation",
        "torch_npu_sim.references.norm",
    ]
    with pytest.raises(NotImplementedError):
        torch.ops.npu.npu_iou(x, x)
    assert notes.read_text().split()[2:] == ["*"]
