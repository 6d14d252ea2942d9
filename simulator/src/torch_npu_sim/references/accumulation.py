"""A product that is added up in float32: ``_npu_matmul_add_fp32``, with which vllm-ascend warms ATB up.

It is not documented; its formula is that of ATB's gradient accumulation.
"""

import torch

from torch_npu_sim.constraints import HALF, dtype, rank, require
from torch_npu_sim.operators import fake, reference

_ADD = "_npu_matmul_add_fp32"


def _check(x: torch.Tensor, weight: torch.Tensor, total: torch.Tensor) -> None:
    dtype(_ADD, HALF, x=x, weight=weight)
    dtype(_ADD, (torch.float32,), C=total)
    rank(_ADD, range(2, 3), x=x, weight=weight, C=total)
    fits = x.shape[0] == weight.shape[0] and total.shape == (x.shape[1], weight.shape[1])
    require(fits, _ADD, "x must be [K, M], weight [K, N] and C [M, N]")


@reference(_ADD)
def npu_matmul_add_fp32(x: torch.Tensor, weight: torch.Tensor, C: torch.Tensor) -> None:
    """Add the product of the transposed ``x`` and the weight to ``C``."""
    _check(x, weight, C)
    C.addmm_(x.float().T, weight.float())


@fake(_ADD)
def npu_matmul_add_fp32_fake(x: torch.Tensor, weight: torch.Tensor, C: torch.Tensor) -> None:
    """Return nothing: ``C`` is written in place."""
    _check(x, weight, C)
