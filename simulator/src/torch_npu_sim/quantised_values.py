"""Values in few bits: rounding to them, dynamic scales, eight of four bits in an int32, torch's numbers for dtypes."""

import torch

#: What an ``int dtype`` argument of a schema holds: the places in c10's list of scalar types.
_SCALAR_TYPES = {
    1: torch.int8,
    3: torch.int32,
    5: torch.float16,
    6: torch.float32,
    12: torch.int8,  # qint8
    13: torch.uint8,  # quint8
    14: torch.int32,  # qint32
    15: torch.bfloat16,
    24: torch.float8_e4m3fn,
}
#: quint4x2, which stands for eight values of four bits in an int32.
FOUR_BITS = 16

_LARGEST = {torch.int8: 127.0, torch.uint8: 255.0, torch.float8_e4m3fn: 448.0}


def dtype_of(operator: str, number: int) -> torch.dtype:
    """Return the dtype of that number; NotImplementedError with the operator for the others."""
    if number not in _SCALAR_TYPES:
        raise NotImplementedError(f"the reference implementation of {operator} does not support the dtype {number}")
    return _SCALAR_TYPES[number]


def rounded(values: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """Return float32 ``values`` in ``dtype``: integers are rounded half to even, and clamped."""
    if dtype.is_floating_point:
        return values.to(dtype)
    bounds = torch.iinfo(dtype)
    return values.round().clamp(bounds.min, bounds.max).to(dtype)


def with_row_scales(
    values: torch.Tensor, dtype: torch.dtype, largest: float | None = None
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return ``values`` so scaled that the largest of each row is the largest of ``dtype``, and the rows' scales."""
    wide = values.float()
    scale = wide.abs().amax(-1) / (largest or _LARGEST[dtype])
    divided = torch.where(scale[..., None] > 0, wide / scale[..., None], 0.0)
    return rounded(divided, dtype), scale


def packed(values: torch.Tensor) -> torch.Tensor:
    """Return integers in [-8, 7], eight neighbours of the last dimension in an int32, the first in the lowest bits."""
    parts = values.to(torch.int32).unflatten(-1, (-1, 8)) & 15
    total = torch.zeros_like(parts[..., 0])
    for place in range(8):
        total |= parts[..., place] << (4 * place)
    return total


def unpacked(values: torch.Tensor) -> torch.Tensor:
    """Return what ``packed`` was given, in int8."""
    parts = torch.stack([(values >> (4 * place)) & 15 for place in range(8)], -1)
    return torch.where(parts > 7, parts - 16, parts).flatten(-2).to(torch.int8)


def exact_product(left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
    """Return the product of integer matrices in float64, which holds every sum of theirs."""
    return left.double() @ right.double()


def scale_of_bits(scale: torch.Tensor) -> torch.Tensor:
    """Return a scale in float32; an int64 holds one in its lower half, as ``npu_trans_quant_param`` makes it."""
    if scale.dtype in (torch.int64, torch.uint64):
        return scale.to(torch.int64).bitwise_and(0xFFFFFFFF).to(torch.int32).view(torch.float32)
    return scale.float()
