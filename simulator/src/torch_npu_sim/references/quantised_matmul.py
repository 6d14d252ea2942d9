"""Products with quantised matrices: what ``torch_npu/_op_plugin_docs.py`` says of the operators."""

import torch

from torch_npu_sim.constraints import FLOAT, HALF, absent, dtype, rank, require
from torch_npu_sim.operators import fake, reference
from torch_npu_sim.quantised_values import dtype_of, exact_product, rounded, scale_of_bits, unpacked

_BOTH = "npu_quant_matmul"
_WEIGHT = "npu_weight_quant_batchmatmul"

_WIDEST = 65535
_INTEGERS = (torch.int8, torch.int32)


def _unpacked_weight(operator: str, weight: torch.Tensor, inner: int) -> torch.Tensor:
    """Return int8 as it is; eight values an int32, along either dimension, are taken apart."""
    if weight.dtype == torch.int8:
        return weight
    if weight.shape[-2] * 8 == inner:
        return unpacked(weight.transpose(-1, -2)).transpose(-1, -2)
    require(weight.shape[-2] == inner, operator, "x and weight must agree in K")
    return unpacked(weight)


def _output_dtype(number: int | None) -> torch.dtype:
    output = torch.int8 if number is None else dtype_of(_BOTH, number)
    dtype(_BOTH, (*HALF, torch.int8, torch.int32), output=torch.empty(0, dtype=output))
    return output


def _check_both(
    x1: torch.Tensor,
    x2: torch.Tensor,
    scale: torch.Tensor,
    offset: torch.Tensor | None,
    pertoken_scale: torch.Tensor | None,
    bias: torch.Tensor | None,
    columns: int,
) -> None:
    require(x1.dtype == x2.dtype, _BOTH, "x1 and x2 must have one dtype")
    rank(_BOTH, range(2, 7), x1=x1, x2=x2)
    dtype(_BOTH, (torch.float32, torch.int64, torch.bfloat16), scale=scale)
    dtype(_BOTH, (torch.float32,), offset=offset, pertoken_scale=pertoken_scale)
    dtype(_BOTH, (torch.int32, *FLOAT), bias=bias)
    rank(_BOTH, range(1, 2), scale=scale, offset=offset, pertoken_scale=pertoken_scale)
    require(scale.shape[0] in (1, columns), _BOTH, f"scale must have 1 or {columns} values, got {scale.shape[0]}")
    widest = max(x1.shape[-1], x2.shape[-1])
    require(widest <= _WIDEST, _BOTH, f"last dimensions must be at most {_WIDEST}, got {widest}")
    if pertoken_scale is not None:
        require(pertoken_scale.shape[0] == x1.shape[-2], _BOTH, "pertoken_scale must have one value a row of x1")
    require(bias is None or bias.shape[-1] == columns, _BOTH, "bias must have one value a column")


@fake(_BOTH)
@reference(_BOTH)
def npu_quant_matmul(
    x1: torch.Tensor,
    x2: torch.Tensor,
    scale: torch.Tensor,
    *,
    offset: torch.Tensor | None = None,
    pertoken_scale: torch.Tensor | None = None,
    bias: torch.Tensor | None = None,
    output_dtype: int | None = None,
    **others: object,
) -> torch.Tensor:
    """Return the product, scaled by columns and rows; an integer bias is added before, a float one after."""
    absent(_BOTH, **others)
    output = _output_dtype(output_dtype)
    dtype(_BOTH, _INTEGERS, x1=x1, x2=x2)
    left = x1 if x1.dtype == torch.int8 else unpacked(x1)
    right = _unpacked_weight(_BOTH, x2, left.shape[-1])
    require(left.shape[-1] == right.shape[-2], _BOTH, "x1 and x2 must agree in K")
    _check_both(x1, x2, scale, offset, pertoken_scale, bias, right.shape[-1])
    product = exact_product(left, right)
    whole = bias is not None and bias.dtype == torch.int32
    if bias is not None and whole:
        product = product + bias
    if output == torch.int32:
        return product.to(torch.int32)
    scaled = product * scale_of_bits(scale)
    if pertoken_scale is not None:
        scaled = scaled * pertoken_scale[:, None]
    if bias is not None and not whole:
        scaled = scaled + bias
    return rounded((scaled if offset is None else scaled + offset).float(), output)


def _expanded(weight: torch.Tensor, values: torch.Tensor, group: int) -> torch.Tensor:
    """Return the values of the tensor, of columns or of groups of rows, one for each row and column or fewer."""
    wide = values.float()
    if group == 0 or wide.dim() < 2 or wide.shape[0] == 1:
        return wide
    rows = weight.shape[0]
    require(wide.shape[0] == -(-rows // group), _WEIGHT, "antiquant_scale must have a row for each group of K")
    return wide.repeat_interleave(group, 0)[:rows]


@fake(_WEIGHT)
@reference(_WEIGHT)
def npu_weight_quant_batchmatmul(
    x: torch.Tensor,
    weight: torch.Tensor,
    antiquant_scale: torch.Tensor,
    antiquant_offset: torch.Tensor | None = None,
    quant_scale: torch.Tensor | None = None,
    quant_offset: torch.Tensor | None = None,
    bias: torch.Tensor | None = None,
    antiquant_group_size: int = 0,
    inner_precise: int = 0,
    weight_dtype: int | None = None,
) -> torch.Tensor:
    """Return ``x @ ((weight + offset) * scale) + bias``."""
    absent(_WEIGHT, quant_scale=quant_scale, quant_offset=quant_offset, weight_dtype=weight_dtype)
    dtype(_WEIGHT, HALF, x=x, antiquant_scale=antiquant_scale, antiquant_offset=antiquant_offset)
    dtype(_WEIGHT, _INTEGERS, weight=weight)
    dtype(_WEIGHT, (torch.float16, torch.float32), bias=bias)
    rank(_WEIGHT, range(2, 3), x=x, weight=weight)
    require(antiquant_scale.dtype == x.dtype, _WEIGHT, "antiquant_scale must have x's dtype")
    if antiquant_offset is not None:
        alike = antiquant_offset.shape == antiquant_scale.shape
        require(alike, _WEIGHT, "antiquant_offset must have the shape of antiquant_scale")
    group = antiquant_group_size
    fits = group == 0 or (group % 32 == 0 and 32 <= group < x.shape[1])
    require(fits, _WEIGHT, f"antiquant_group_size must be a multiple of 32 below K, got {group}")
    matrix = _unpacked_weight(_WEIGHT, weight, x.shape[1])
    require(matrix.shape[0] == x.shape[1], _WEIGHT, "x and weight must agree in K")
    wide = matrix.float()
    if antiquant_offset is not None:
        wide = wide + _expanded(matrix, antiquant_offset, group)
    product = x.float() @ (wide * _expanded(matrix, antiquant_scale, group))
    return (product if bias is None else product + bias.float()).to(x.dtype)
