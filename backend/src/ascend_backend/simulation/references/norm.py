"""RMSNorm."""

import torch

from ascend_backend.simulation.constraints import FLOAT, dtype, rank, require, same_dtype
from ascend_backend.simulation.operators import reference


def _normalise(operator: str, x: torch.Tensor, gamma: torch.Tensor, epsilon: float) -> tuple[torch.Tensor, torch.Tensor]:
    dtype(operator, FLOAT, x=x, gamma=gamma)
    same_dtype(operator, x=x, gamma=gamma)
    rank(operator, range(1, 9), x=x, gamma=gamma)
    normalised = x.shape[x.dim() - gamma.dim() :]
    require(normalised == gamma.shape, operator, "gamma must have the shape of x's last dimensions")
    dimensions = tuple(range(-gamma.dim(), 0))
    wide = x.float()
    rstd = torch.rsqrt(wide.square().mean(dimensions, keepdim=True) + epsilon)
    return (wide * rstd * gamma.float()).to(x.dtype), rstd


@reference("npu_rms_norm")
def npu_rms_norm(self: torch.Tensor, gamma: torch.Tensor, epsilon: float = 1e-6) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the normalised tensor and the reciprocal root mean square."""
    return _normalise("npu_rms_norm", self, gamma, epsilon)


@reference("npu_add_rms_norm")
def npu_add_rms_norm(
    x1: torch.Tensor, x2: torch.Tensor, gamma: torch.Tensor, epsilon: float = 1e-6
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return the normalised sum, the reciprocal root mean square and the sum."""
    same_dtype("npu_add_rms_norm", x1=x1, x2=x2)
    require(x1.shape == x2.shape, "npu_add_rms_norm", "x1 and x2 must have one shape")
    total = x1 + x2
    y, rstd = _normalise("npu_add_rms_norm", total, gamma, epsilon)
    return y, rstd, total
