"""SwiGLU: what ``torch_npu/_op_plugin_docs.py`` says of ``npu_swiglu``."""

import torch
import torch.nn.functional

from torch_npu_sim.constraints import FLOAT, dtype, rank, require
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
