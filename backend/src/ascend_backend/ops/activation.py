"""Activation operators."""

import torch
import torch_npu


def swiglu(x: torch.Tensor) -> torch.Tensor:
    """Return ``silu(first half) * second half`` of the last dimension."""
    return torch_npu.npu_swiglu(x)
