"""Activations: what ``torch_npu/_op_plugin_docs.py`` says of SwiGLU, plain and clipped, and of ``npu_fast_gelu``."""

import torch
import torch.nn.functional

from torch_npu_sim.constraints import FLOAT, contiguous, dtype, rank, require
from torch_npu_sim.operators import fake, reference

_OPERATOR = "npu_swiglu"


def _check(x: torch.Tensor, dim: int) -> None:
    dtype(_OPERATOR, FLOAT, x=x)
    rank(_OPERATOR, range(1, 9), x=x)
    require(-x.dim() <= dim < x.dim(), _OPERATOR, f"dim {dim} is no dimension of x")
    require(x.shape[dim] % 2 == 0, _OPERATOR, f"dimension {dim} must be even, got {x.shape[dim]}")


@reference(_OPERATOR)
def npu_swiglu(self: torch.Tensor, dim: int = -1) -> torch.Tensor:
    """Return ``silu(a) * b`` of the two halves along ``dim``."""
    _check(self, dim)
    gate, up = self.chunk(2, dim)
    return torch.nn.functional.silu(gate) * up


@fake(_OPERATOR)
def npu_swiglu_fake(self: torch.Tensor, dim: int = -1) -> torch.Tensor:
    """Return half of the input along ``dim``."""
    _check(self, dim)
    shape = list(self.shape)
    shape[dim] //= 2
    return self.new_empty(shape)


_CLIPPED = "npu_clipped_swiglu"
_FAST_GELU = "npu_fast_gelu"


def _check_clipped(x: torch.Tensor, group_index: torch.Tensor | None, dim: int) -> None:
    dtype(_CLIPPED, FLOAT, x=x)
    dtype(_CLIPPED, (torch.int64,), group_index=group_index)
    contiguous(_CLIPPED, x=x)
    rank(_CLIPPED, range(2, 9), x=x)
    require(-x.dim() <= dim < x.dim(), _CLIPPED, f"dim {dim} is no dimension of x")
    require(x.shape[dim] % 2 == 0, _CLIPPED, f"dimension {dim} must be even, got {x.shape[dim]}")


def _halved(x: torch.Tensor, dim: int) -> list[int]:
    shape = list(x.shape)
    shape[dim] //= 2
    return shape


@reference(_CLIPPED)
def npu_clipped_swiglu(
    x: torch.Tensor,
    *,
    group_index: torch.Tensor | None = None,
    dim: int = -1,
    alpha: float = 1.702,
    limit: float = 7.0,
    bias: float = 1.0,
    interleaved: bool = True,
) -> torch.Tensor:
    """Return ``a * sigmoid(alpha * a) * (b + bias)`` of clamped halves, or of neighbours; rows of no group are zeros."""
    _check_clipped(x, group_index, dim)
    before = x.shape[: dim % x.dim()].numel()
    rows = x.reshape(before, -1).float()
    used = before if group_index is None else int(group_index.sum())
    require(used <= before, _CLIPPED, "group_index must not name more rows than x has")
    gate, up = (rows[:, ::2], rows[:, 1::2]) if interleaved else rows.chunk(2, -1)
    gate, up = gate.clamp(max=limit), up.clamp(-limit, limit)
    active = gate * torch.sigmoid(alpha * gate) * (up + bias)
    active[used:] = 0
    return active.to(x.dtype).view(_halved(x, dim))


@fake(_CLIPPED)
def npu_clipped_swiglu_fake(
    x: torch.Tensor,
    *,
    group_index: torch.Tensor | None = None,
    dim: int = -1,
    alpha: float = 1.702,
    limit: float = 7.0,
    bias: float = 1.0,
    interleaved: bool = True,
) -> torch.Tensor:
    """Return half of the input along ``dim``."""
    _check_clipped(x, group_index, dim)
    return x.new_empty(_halved(x, dim))


@fake(_FAST_GELU)
@reference(_FAST_GELU)
def npu_fast_gelu(self: torch.Tensor) -> torch.Tensor:
    """Return ``x / (1 + exp(-1.702 * x))``."""
    dtype(_FAST_GELU, FLOAT, input=self)
    rank(_FAST_GELU, range(9), input=self)
    wide = self.float()
    return (wide * torch.sigmoid(1.702 * wide)).to(self.dtype)
