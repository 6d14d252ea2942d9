"""Normalisation operators."""

import torch
import torch_npu


def rms_norm(x: torch.Tensor, weight: torch.Tensor, epsilon: float) -> torch.Tensor:
    """Return ``weight * x / sqrt(mean(x^2) + epsilon)`` over the last dimension."""
    y, _ = torch_npu.npu_rms_norm(x, weight, epsilon)
    return y


def add_rms_norm(
    x: torch.Tensor, residual: torch.Tensor, weight: torch.Tensor, epsilon: float
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the normalised sum of ``x`` and ``residual``, and the sum itself."""
    y, _, total = torch_npu.npu_add_rms_norm(x, residual, weight, epsilon)
    return y, total
