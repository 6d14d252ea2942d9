"""SwiGLU."""

import torch
import torch.nn.functional

from ascend_backend.simulation.constraints import FLOAT, dtype, rank, require
from ascend_backend.simulation.operators import reference


@reference("npu_swiglu")
def npu_swiglu(self: torch.Tensor, dim: int = -1) -> torch.Tensor:
    """Return ``silu(a) * b`` of the two halves along ``dim``."""
    dtype("npu_swiglu", FLOAT, x=self)
    rank("npu_swiglu", range(1, 9), x=self)
    require(self.shape[dim] % 2 == 0, "npu_swiglu", f"dimension {dim} must be even, got {self.shape[dim]}")
    gate, up = self.chunk(2, dim)
    return torch.nn.functional.silu(gate) * up
