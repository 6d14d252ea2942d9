"""Computing experts: what ``torch_npu/_op_plugin_docs.py`` says of ``npu_grouped_matmul``.

Computed are groups of rows of one tensor: in floats, in integers with scales of columns and of rows, and in floats
with weights of 8 or 4 bits.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from torch_npu_sim.constraints import FLOAT, absent, dtype, rank, require, same_dtype
from torch_npu_sim.operators import fake, reference
from torch_npu_sim.quantised_values import dtype_of, exact_product, rounded, scale_of_bits, unpacked

_OPERATOR = "npu_grouped_matmul"

_INNER_LIMIT = 65536
_INTEGERS = (torch.int8, torch.int32)

Tensors = Sequence[torch.Tensor]


@dataclass(frozen=True)
class _Call:
    """A call whose weights, and what goes with them, are one for each group."""

    rows: torch.Tensor
    weights: Tensors
    bias: Tensors | None
    scale: Tensors | None
    antiquant_scale: Tensors | None
    antiquant_offset: Tensors | None
    row_scale: torch.Tensor | None
    group_list: torch.Tensor
    group_list_type: int
    output: torch.dtype

    @property
    def columns(self) -> int:
        """Return the columns of the product."""
        packed = self.weights[0].dtype == torch.int32
        return self.weights[0].shape[1] * (8 if packed else 1)


def _of_groups(name: str, given: Tensors | None, groups: int) -> Tensors | None:
    """Return one tensor a group, of a list of as many or of a single tensor with a dimension more."""
    if not given:
        return None
    if len(given) == 1 and groups > 1:
        require(given[0].shape[0] == groups, _OPERATOR, f"{name} must have one entry a group")
        return given[0].unbind()
    if len(given) == 1 and name == "weight" and given[0].dim() == 3:
        return given[0].unbind()
    require(len(given) == groups, _OPERATOR, f"{name} must have one entry a group")
    return [each[0] if name != "weight" and each.dim() == 2 and groups == 1 else each for each in given]


def _called(
    x: Tensors,
    weight: Tensors,
    *,
    bias: Tensors | None = None,
    scale: Tensors | None = None,
    antiquant_scale: Tensors | None = None,
    antiquant_offset: Tensors | None = None,
    per_token_scale: Tensors | None = None,
    group_list: torch.Tensor | None = None,
    split_item: int | None = 0,
    group_type: int | None = None,
    group_list_type: int | None = 0,
    act_type: int | None = 0,
    tuning_config: Sequence[int] | None = None,
    output_dtype: int | None = None,
    **others: object,
) -> _Call:
    """Return the call, held to what can be told without values of tensors."""
    absent(_OPERATOR, **others)
    if split_item not in (2, 3) or group_type != 0 or act_type != 0 or len(x) != 1:
        raise NotImplementedError(
            f"the reference implementation of {_OPERATOR} supports groups of rows of one tensor alone"
        )
    if group_list is None:
        require(False, _OPERATOR, "group_type 0 demands a group_list")
        raise AssertionError
    dtype(_OPERATOR, (torch.int64,), group_list=group_list)
    rank(_OPERATOR, range(1, 2), group_list=group_list)
    require(group_list_type in (0, 1), _OPERATOR, f"group_list_type must be 0 or 1, got {group_list_type}")
    groups = group_list.shape[0]
    several = group_list_type == 0 or groups > 1
    require(several, _OPERATOR, "a list of counts must have two groups or more")
    for each in weight:
        rank(_OPERATOR, range(2, 4), weight=each)
        plain = each.is_contiguous() or each.transpose(-1, -2).is_contiguous()
        require(plain, _OPERATOR, "weight must be contiguous or the transpose of a contiguous tensor")
    weights = _of_groups("weight", weight, groups)
    fits = weights is not None and len(weights) == groups
    require(fits, _OPERATOR, "group_list must have one value a group")
    call = _Call(
        *(x[0], weights or (), _of_groups("bias", bias, groups), _of_groups("scale", scale, groups)),
        *(
            _of_groups("antiquant_scale", antiquant_scale, groups),
            _of_groups("antiquant_offset", antiquant_offset, groups),
        ),
        *(per_token_scale[0] if per_token_scale else None, group_list, group_list_type or 0),
        x[0].dtype if output_dtype is None else dtype_of(_OPERATOR, output_dtype),
    )
    _check(call)
    return call


def _check(call: _Call) -> None:
    rows, matrix = call.rows, call.weights[0]
    rank(_OPERATOR, range(2, 3), x=rows)
    require(rows.shape[1] == matrix.shape[0], _OPERATOR, "x and weight must agree in K")
    widest = max(rows.shape[1], matrix.shape[1])
    require(widest < _INNER_LIMIT, _OPERATOR, f"inner dimensions must be below {_INNER_LIMIT}, got {widest}")
    if rows.dtype == torch.int8:
        _check_integers(call)
    elif call.antiquant_scale is not None:
        dtype(_OPERATOR, _INTEGERS, weight=matrix)
        dtype(_OPERATOR, FLOAT, x=rows, antiquant_scale=call.antiquant_scale[0])
        same_dtype(_OPERATOR, x=rows, antiquant_scale=call.antiquant_scale[0])
    else:
        dtype(_OPERATOR, FLOAT, x=rows, weight=matrix)
        same_dtype(_OPERATOR, x=rows, weight=matrix)
        require(call.scale is None and call.row_scale is None, _OPERATOR, "floats go without scale and per_token_scale")
    if call.bias is not None:
        dtype(_OPERATOR, (torch.float16, torch.float32, torch.int32), bias=call.bias[0])
        require(call.bias[0].shape == (call.columns,), _OPERATOR, "bias must have one value a column")


def _check_integers(call: _Call) -> None:
    dtype(_OPERATOR, (torch.int8,), weight=call.weights[0])
    dtype(_OPERATOR, (torch.float32,), per_token_scale=call.row_scale)
    if call.output == torch.int32:
        require(call.scale is None, _OPERATOR, "sums of integers go without scale")
        return
    if call.scale is None:
        require(False, _OPERATOR, "integers demand a scale")
        return
    dtype(_OPERATOR, (torch.float32, torch.bfloat16, torch.int64), scale=call.scale[0])
    require(call.scale[0].shape == (call.columns,), _OPERATOR, "scale must have one value a column")
    if call.row_scale is not None:
        fits = call.row_scale.shape == call.rows.shape[:1]
        require(fits, _OPERATOR, "per_token_scale must have one value a row")


def _expanded(values: torch.Tensor, rows: int) -> torch.Tensor:
    """Return the values of columns, or of groups of rows, for each row."""
    if values.dim() == 1:
        return values.float()
    require(rows % values.shape[0] == 0, _OPERATOR, "groups of antiquant_scale must divide K")
    return values.float().repeat_interleave(rows // values.shape[0], 0)


def _product(call: _Call, group: int, start: int, end: int) -> torch.Tensor:
    """Return the product of one group."""
    rows, matrix = call.rows[start:end], call.weights[group]
    bias = None if call.bias is None else call.bias[group]
    if rows.dtype == torch.int8:
        product = exact_product(rows, matrix)
        product = product if bias is None else product + bias
        if call.scale is not None:
            product = product * scale_of_bits(call.scale[group])
        if call.row_scale is not None:
            product = product * call.row_scale[start:end, None]
        return rounded(product.float(), call.output) if call.output != torch.int32 else product.to(torch.int32)
    if call.antiquant_scale is not None:
        wide = (unpacked(matrix) if matrix.dtype == torch.int32 else matrix).float()
        if call.antiquant_offset is not None:
            wide = wide + _expanded(call.antiquant_offset[group], len(wide))
        product = rows.float() @ (wide * _expanded(call.antiquant_scale[group], len(wide)))
        return (product if bias is None else product + bias.float()).to(call.output)
    if bias is None:
        return (rows @ matrix).to(call.output)
    return (rows.float() @ matrix.float() + bias.float()).to(call.output)


@reference(_OPERATOR)
def npu_grouped_matmul(x: Tensors, weight: Tensors, **keywords: Any) -> list[torch.Tensor]:
    """Return the product of each group of rows with its weight."""
    call = _called(x, weight, **keywords)
    groups = call.group_list
    require(bool((groups >= 0).all()), _OPERATOR, "group_list must not be negative")
    ends = (groups.cumsum(0) if call.group_list_type == 1 else groups).tolist()
    require(ends == sorted(ends) and ends[-1] <= len(call.rows), _OPERATOR, "groups must lie within x in order")
    output = call.rows.new_zeros((len(call.rows), call.columns), dtype=call.output)
    for group, (start, end) in enumerate(zip([0, *ends], ends, strict=False)):
        output[start:end] = _product(call, group, start, end)
    return [output]


@fake(_OPERATOR)
def npu_grouped_matmul_fake(x: Tensors, weight: Tensors, **keywords: Any) -> list[torch.Tensor]:
    """Return one tensor with the rows of ``x`` and the columns of the weights."""
    call = _called(x, weight, **keywords)
    return [call.rows.new_empty((call.rows.shape[0], call.columns), dtype=call.output)]
