"""Rotary position embedding: what ``torch_npu/_op_plugin_docs.py`` says of ``npu_rotary_mul``.

Its limits depend on the layout (BNSD, BSND, SBND), which the operator tells by where ``r1`` is 1. Held to are
those of BSND with ``r1`` 1S1D, the one layout that both modes take and that the backend uses.
"""

import torch

from torch_npu_sim.constraints import FLOAT, absent, dtype, rank, require
from torch_npu_sim.operators import fake, reference

_OPERATOR = "npu_rotary_mul"
_LIMIT = 1000
_WIDEST = 896


def _check(x: torch.Tensor, r1: torch.Tensor, r2: torch.Tensor, mode: str, rotate: torch.Tensor | None) -> None:
    absent(_OPERATOR, rotate=rotate)
    dtype(_OPERATOR, FLOAT, input=x, r1=r1, r2=r2)
    rank(_OPERATOR, range(4, 5), input=x, r1=r1, r2=r2)
    require(mode in ("half", "interleave"), _OPERATOR, f"rotary_mode must be 'half' or 'interleave', got {mode!r}")
    batch, tokens, heads, size = x.shape
    require(size < _WIDEST and size % 2 == 0, _OPERATOR, f"D must be even and below {_WIDEST}, got {size}")
    require(r1.shape == r2.shape, _OPERATOR, "r1 and r2 must have one shape")
    require(r1.shape == (1, tokens, 1, size), _OPERATOR, f"r1 must be 1S1D, got {tuple(r1.shape)}")
    require(batch < _LIMIT and heads < _LIMIT, _OPERATOR, f"B and N must be below {_LIMIT}")
    require(mode == "half" or batch * heads < _LIMIT, _OPERATOR, f"B * N must be below {_LIMIT}")


@reference(_OPERATOR)
def npu_rotary_mul(
    self: torch.Tensor,
    r1: torch.Tensor,
    r2: torch.Tensor,
    rotary_mode: str = "half",
    rotate: torch.Tensor | None = None,
) -> torch.Tensor:
    """Return ``x * r1 + turned(x) * r2``; halves or neighbouring pairs are turned."""
    _check(self, r1, r2, rotary_mode, rotate)
    if rotary_mode == "half":
        first, second = self.chunk(2, -1)
        turned = torch.cat((-second, first), -1)
    else:
        turned = torch.stack((-self[..., 1::2], self[..., ::2]), -1).flatten(-2)
    return (self * r1 + turned * r2).to(self.dtype).contiguous()


@fake(_OPERATOR)
def npu_rotary_mul_fake(
    self: torch.Tensor,
    r1: torch.Tensor,
    r2: torch.Tensor,
    rotary_mode: str = "half",
    rotate: torch.Tensor | None = None,
) -> torch.Tensor:
    """Return a tensor like the input."""
    _check(self, r1, r2, rotary_mode, rotate)
    return self.new_empty(self.shape)
