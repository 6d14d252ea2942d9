"""Quantising activations and weights: what ``torch_npu/_op_plugin_docs.py`` says of the operators.

Of ``npu_quantize`` the form that multiplies (``div_mode`` False) and the one that divides, to int8 and uint8.
"""

import torch

from torch_npu_sim.constraints import FLOAT, HALF, absent, contiguous, dtype, rank, require, within
from torch_npu_sim.operators import fake, reference
from torch_npu_sim.quantised_values import FOUR_BITS, dtype_of, packed, rounded, with_row_scales

_STATIC = "npu_quantize"
_DYNAMIC = "npu_dynamic_quant"
_PACK = "npu_convert_weight_to_int4pack"

_LARGEST_FOUR_BITS = 7.0


def _spread(x: torch.Tensor, values: torch.Tensor | None, name: str, axis: int) -> torch.Tensor | None:
    """Return the scales or zero points in a shape that broadcasts to ``x`` along its dimension ``axis``."""
    if values is None:
        return None
    if values.dim() != 1:
        require(values.dim() == x.dim(), _STATIC, f"{name} must have one dimension or as many as the input")
        return values.float()
    size = x.shape[axis]
    require(values.shape[0] in (1, size), _STATIC, f"{name} must have 1 or {size} values, got {values.shape[0]}")
    shape = [1] * x.dim()
    shape[axis] = values.shape[0]
    return values.float().view(shape)


@fake(_STATIC)
@reference(_STATIC)
def npu_quantize(
    self: torch.Tensor,
    scales: torch.Tensor,
    zero_points: torch.Tensor | None,
    dtype: int,
    axis: int = 1,
    div_mode: bool = True,
) -> torch.Tensor:
    """Return the input times (or divided by) the scales, plus the zero points, rounded."""
    _check_static(self, scales, zero_points, div_mode)
    if dtype == FOUR_BITS:
        raise NotImplementedError(f"the reference implementation of {_STATIC} does not support four bits")
    if not div_mode:
        require(-2 <= axis < self.dim(), _STATIC, f"axis must lie in [-2, {self.dim() - 1}], got {axis}")
        axis = -2 if axis == -2 else -1
    factors, offsets = _spread(self, scales, "scales", axis), _spread(self, zero_points, "zero_points", axis)
    wide = self.float() / factors if div_mode else self.float() * factors
    return rounded(wide if offsets is None else wide + offsets, dtype_of(_STATIC, dtype))


def _check_static(x: torch.Tensor, scales: torch.Tensor, zero_points: torch.Tensor | None, div_mode: bool) -> None:
    dtype(_STATIC, FLOAT, input=x)
    whole = (torch.int8, torch.uint8, torch.int32, torch.bfloat16)
    dtype(_STATIC, FLOAT if not div_mode else (torch.float32, torch.bfloat16), scales=scales)
    dtype(_STATIC, FLOAT if not div_mode else whole, zero_points=zero_points)
    if not div_mode and zero_points is not None:
        alike = zero_points.dtype == scales.dtype and zero_points.shape == scales.shape
        require(alike, _STATIC, "zero_points must have the dtype and shape of scales")


@fake(_DYNAMIC)
@reference(_DYNAMIC)
def npu_dynamic_quant(
    input: torch.Tensor,
    *,
    smooth_scales: torch.Tensor | None = None,
    group_index: torch.Tensor | None = None,
    dst_type: int | None = None,
    quant_mode: str = "pertoken",
    dst_type_max: float = 0.0,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the quantised rows and the scale of each."""
    absent(_DYNAMIC, group_index=group_index)
    if quant_mode != "pertoken" or dst_type_max:
        raise NotImplementedError(f"the reference implementation of {_DYNAMIC} supports scales of tokens alone")
    dtype(_DYNAMIC, HALF, x=input, smooth_scales=smooth_scales)
    require(input.dim() > 1, _DYNAMIC, "x must have more than one dimension")
    wide = input.float()
    if smooth_scales is not None:
        fits = smooth_scales.shape == input.shape[-1:] and smooth_scales.dtype == input.dtype
        require(fits, _DYNAMIC, "smooth_scales must have x's dtype and one value a column")
        wide = wide * smooth_scales.float()
    if dst_type == FOUR_BITS:
        require(input.shape[-1] % 8 == 0, _DYNAMIC, "for four bits the last dimension must be a multiple of 8")
        values, scale = with_row_scales(wide, torch.int8, _LARGEST_FOUR_BITS)
        return packed(values), scale
    return with_row_scales(wide, torch.int8 if dst_type is None else dtype_of(_DYNAMIC, dst_type))


def _check_pack(weight: torch.Tensor) -> None:
    dtype(_PACK, (torch.int32,), weight=weight)
    rank(_PACK, range(2, 3), weight=weight)
    contiguous(_PACK, weight=weight)
    require(weight.shape[1] % 8 == 0, _PACK, "the last dimension must be a multiple of 8")


@reference(_PACK)
def npu_convert_weight_to_int4pack(weight: torch.Tensor, inner_k_tiles: int = 0) -> torch.Tensor:
    """Return the weights, eight to an int32."""
    _check_pack(weight)
    within(_PACK, -8, 7, values=weight)
    return packed(weight)


@fake(_PACK)
def npu_convert_weight_to_int4pack_fake(weight: torch.Tensor, inner_k_tiles: int = 0) -> torch.Tensor:
    """Return a tensor an eighth as wide."""
    _check_pack(weight)
    return weight.new_empty(weight.shape[0], weight.shape[1] // 8)
