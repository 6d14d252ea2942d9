"""Rotary position embedding."""

import torch

from ascend_backend.simulation.constraints import FLOAT, absent, dtype, rank, require
from ascend_backend.simulation.operators import reference

_OPERATOR = "npu_rotary_mul"
_LIMIT = 1000


@reference(_OPERATOR)
def npu_rotary_mul(
    self: torch.Tensor,
    r1: torch.Tensor,
    r2: torch.Tensor,
    rotary_mode: str = "half",
    rotate: torch.Tensor | None = None,
) -> torch.Tensor:
    """Return ``x * r1 + turned(x) * r2``; halves or neighbouring pairs are turned."""
    absent(_OPERATOR, rotate=rotate)
    dtype(_OPERATOR, FLOAT, input=self, r1=r1, r2=r2)
    rank(_OPERATOR, range(4, 5), input=self, r1=r1, r2=r2)
    size = self.shape[-1]
    require(size < 896 and size % 2 == 0, _OPERATOR, f"D must be even and below 896, got {size}")
    require(r1.shape == r2.shape, _OPERATOR, "r1 and r2 must have one shape")
    # BSND with r1 1S1D is what the backend uses; other layouts are told apart by where r1 is 1.
    require(self.shape[0] < _LIMIT and self.shape[2] < _LIMIT, _OPERATOR, "B and N must be below 1000")
    if rotary_mode == "half":
        first, second = self.chunk(2, -1)
        turned = torch.cat((-second, first), -1)
    elif rotary_mode == "interleave":
        require(self.shape[0] * self.shape[2] < _LIMIT, _OPERATOR, "B * N must be below 1000")
        turned = torch.stack((-self[..., 1::2], self[..., ::2]), -1).flatten(-2)
    else:
        require(False, _OPERATOR, f"rotary_mode must be 'half' or 'interleave', got {rotary_mode!r}")
    return self * r1 + turned * r2
