"""Rotary position embedding: what ``torch_npu/_op_plugin_docs.py`` says of ``npu_rotary_mul``.

Its limits depend on the layout (BNSD, BSND, SBND), which the operator tells by where ``r1`` is 1.
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
    size = x.shape[3]
    require(size < _WIDEST and size % 2 == 0, _OPERATOR, f"D must be even and below {_WIDEST}, got {size}")
    require(r1.shape == r2.shape, _OPERATOR, "r1 and r2 must have one shape")
    batch, heads = _batch_and_heads(x, r1, mode)
    require(batch < _LIMIT and heads < _LIMIT, _OPERATOR, f"B and N must be below {_LIMIT}")
    require(mode == "half" or batch * heads < _LIMIT, _OPERATOR, f"B * N must be below {_LIMIT}")


def _batch_and_heads(x: torch.Tensor, r1: torch.Tensor, mode: str) -> tuple[int, int]:
    """Return B and N by the layout that r1 shows."""
    first, second, third, size = x.shape
    shape = tuple(r1.shape)
    if shape == (1, second, 1, size) or (mode == "half" and shape in ((first, second, 1, size), tuple(x.shape))):
        return first, third
    if shape == (1, 1, third, size) or (mode == "half" and shape == (first, 1, third, size)):
        return first, second
    of_tokens = shape == (first, 1, 1, size)
    wider = " or as wide as x in B, or in B and N" if mode == "half" else ""
    require(of_tokens, _OPERATOR, f"r1 must be 1S1D, 11SD or S11D{wider}, got {shape}")
    return second, third


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
