"""Formats of memory, and the product that warms ATB up.

A format other than ND is a matter of the device's memory: shape and values, which are all there is here, stay.
``_npu_matmul_add_fp32`` is not documented; its formula is that of ATB's gradient accumulation, and its accumulator
float32.
"""

import torch

from torch_npu_sim.constraints import HALF, absent, dtype, rank, require
from torch_npu_sim.operators import fake, reference

_CAST = "npu_format_cast"
_ADD = "_npu_matmul_add_fp32"

_FORMATS = range(-1, 52)


@fake(_CAST)
@reference(_CAST)
def npu_format_cast(
    self: torch.Tensor, acl_format: int, *, customize_dtype: int | None = None, input_dtype: int | None = None
) -> torch.Tensor:
    """Return a copy: the simulated device has one format."""
    absent(_CAST, customize_dtype=customize_dtype, input_dtype=input_dtype)
    require(acl_format in _FORMATS, _CAST, f"there is no format {acl_format}")
    return self.clone()


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
