"""Experts in integers: what ``csrc/gmm/grouped_matmul_swiglu_quant/README.md`` of vllm-ascend says of its fused
product, and ``torch_npu/_op_plugin_docs.py`` of ``npu_grouped_matmul_swiglu_quant`` and ``npu_dequant_swiglu_quant``.

Rows beyond all groups are never written: here they are zeros. Clamping (``swiglu_limit``, ``swiglu_mode`` 1) is that of
the kernels: the gate from above, the other half from both sides; a limit of 0 stands for none.
"""

from collections.abc import Sequence

import torch

from torch_npu_sim.constraints import absent, dtype, rank, require
from torch_npu_sim.operators import fake, reference
from torch_npu_sim.quantised_values import exact_product, rounded, with_row_scales

_FUSED = "npu_grouped_matmul_swiglu_quant"
_OWN = "_C_ascend::grouped_matmul_swiglu_quant"
_OWN_NZ = "_C_ascend::grouped_matmul_swiglu_quant_weight_nz"
_OWN_LIST = "_C_ascend::grouped_matmul_swiglu_quant_weight_nz_tensor_list"
_SWIGLU = "npu_dequant_swiglu_quant"
_OWN_SWIGLU = "_C_ascend::npu_dequant_swiglu_quant"

_SCALES = (torch.float32, torch.float16, torch.bfloat16)
_WIDEST = 10496

Quantised = tuple[torch.Tensor, torch.Tensor, torch.Tensor]


def _activated(
    gate: torch.Tensor, up: torch.Tensor, limit: float, alpha: float = 1.0, bias: float = 0.0
) -> torch.Tensor:
    if limit > 0:
        gate, up = gate.clamp(max=limit), up.clamp(-limit, limit)
    return gate * torch.sigmoid(alpha * gate) * (up + bias)


def _check_fused(
    operator: str,
    x: torch.Tensor,
    weight: Sequence[torch.Tensor],
    weight_scale: Sequence[torch.Tensor],
    x_scale: torch.Tensor,
    group_list: torch.Tensor,
) -> int:
    """Return the columns of the weights."""
    dtype(operator, (torch.int8,), x=x, **{f"weight[{i}]": each for i, each in enumerate(weight)})
    dtype(operator, _SCALES, **{f"weight_scale[{i}]": each for i, each in enumerate(weight_scale)})
    dtype(operator, (torch.float32,), x_scale=x_scale)
    dtype(operator, (torch.int64,), group_list=group_list)
    rank(operator, range(2, 3), x=x)
    rank(operator, range(1, 2), x_scale=x_scale, group_list=group_list)
    require(x_scale.shape[0] == x.shape[0], operator, "x_scale must have one value a row of x")
    groups = group_list.shape[0]
    require(groups == len(weight) == len(weight_scale), operator, "there must be a weight and a scale for each group")
    columns = weight[0].shape[1]
    alike = all(each.shape == (x.shape[1], columns) for each in weight) and columns % 2 == 0
    require(alike, operator, "weights must be [K, N], N even")
    require(
        all(each.shape == (columns,) for each in weight_scale), operator, "weight_scale must have one value a column"
    )
    return columns


def _ends(operator: str, group_list: torch.Tensor, rows: int) -> list[int]:
    ends: list[int] = group_list.tolist()
    rises = all(0 <= first <= last for first, last in zip([0, *ends], ends, strict=False))
    require(rises and (not ends or ends[-1] <= rows), operator, "group_list must be sums of lengths within x")
    return ends


def _fused(
    operator: str,
    x: torch.Tensor,
    weight: Sequence[torch.Tensor],
    weight_scale: Sequence[torch.Tensor],
    x_scale: torch.Tensor,
    group_list: torch.Tensor,
    limit: float,
) -> Quantised:
    columns = _check_fused(operator, x, weight, weight_scale, x_scale, group_list)
    ends = _ends(operator, group_list, len(x))
    values, scales = x.new_zeros(len(x), columns // 2), x_scale.new_zeros(len(x))
    for group, (start, end) in enumerate(zip([0, *ends], ends, strict=False)):
        product = exact_product(x[start:end], weight[group]).float()
        gate, up = (product * weight_scale[group].float() * x_scale[start:end, None]).chunk(2, -1)
        values[start:end], scales[start:end] = with_row_scales(_activated(gate, up, limit), torch.int8)
    return values, scales, x_scale.new_empty(0)


def _fused_fake(
    operator: str,
    x: torch.Tensor,
    weight: Sequence[torch.Tensor],
    weight_scale: Sequence[torch.Tensor],
    x_scale: torch.Tensor,
    group_list: torch.Tensor,
) -> Quantised:
    columns = _check_fused(operator, x, weight, weight_scale, x_scale, group_list)
    return x.new_empty(x.shape[0], columns // 2), x_scale.new_empty(x.shape[0]), x_scale.new_empty(0)


@reference(_FUSED)
def npu_grouped_matmul_swiglu_quant(
    x: torch.Tensor,
    weight: torch.Tensor,
    group_list: torch.Tensor,
    weight_scale: torch.Tensor,
    x_scale: torch.Tensor,
    *,
    bias: torch.Tensor | None = None,
    offset: torch.Tensor | None = None,
) -> Quantised:
    """Return the quantised activations, their scales, and no offsets."""
    absent(_FUSED, bias=bias, offset=offset)
    return _fused(_FUSED, x, weight.unbind(), weight_scale.unbind(), x_scale, group_list, 0.0)


@fake(_FUSED)
def npu_grouped_matmul_swiglu_quant_fake(
    x: torch.Tensor,
    weight: torch.Tensor,
    group_list: torch.Tensor,
    weight_scale: torch.Tensor,
    x_scale: torch.Tensor,
    *,
    bias: torch.Tensor | None = None,
    offset: torch.Tensor | None = None,
) -> Quantised:
    """Return half a row, and a scale, for each row."""
    absent(_FUSED, bias=bias, offset=offset)
    return _fused_fake(_FUSED, x, weight.unbind(), weight_scale.unbind(), x_scale, group_list)


def _register_own(operator: str) -> None:
    """Register vllm-ascend's own form, which takes one tensor of weights or a list."""

    @reference(operator)
    def fused(
        x: torch.Tensor,
        weight: torch.Tensor | Sequence[torch.Tensor],
        weight_scale: torch.Tensor | Sequence[torch.Tensor],
        x_scale: torch.Tensor,
        group_list: torch.Tensor,
        *,
        bias: torch.Tensor | None = None,
        offset: torch.Tensor | None = None,
        swiglu_limit: float = 0.0,
    ) -> Quantised:
        absent(operator, bias=bias, offset=offset)
        return _fused(operator, x, list(weight), list(weight_scale), x_scale, group_list, swiglu_limit)

    @fake(operator)
    def fused_fake(
        x: torch.Tensor,
        weight: torch.Tensor | Sequence[torch.Tensor],
        weight_scale: torch.Tensor | Sequence[torch.Tensor],
        x_scale: torch.Tensor,
        group_list: torch.Tensor,
        *,
        bias: torch.Tensor | None = None,
        offset: torch.Tensor | None = None,
        swiglu_limit: float = 0.0,
    ) -> Quantised:
        absent(operator, bias=bias, offset=offset)
        return _fused_fake(operator, x, list(weight), list(weight_scale), x_scale, group_list)


for _name in (_OWN, _OWN_NZ, _OWN_LIST):
    _register_own(_name)


def _check_swiglu(
    operator: str,
    x: torch.Tensor,
    weight_scale: torch.Tensor | None,
    activation_scale: torch.Tensor | None,
    bias: torch.Tensor | None,
    quant_scale: torch.Tensor | None,
    quant_offset: torch.Tensor | None,
    group_index: torch.Tensor | None,
    quant_mode: int,
    swiglu_mode: int,
) -> None:
    require(x.dim() > 1 and x.shape[-1] % 2 == 0, operator, "x must have two dimensions or more, the last one even")
    dtype(operator, (torch.int32, torch.bfloat16, torch.float16), x=x)
    dtype(operator, (torch.float32,), weight_scale=weight_scale, activation_scale=activation_scale)
    dtype(operator, _SCALES, quant_scale=quant_scale, quant_offset=quant_offset)
    dtype(operator, (torch.int64,), group_index=group_index)
    require(quant_mode in (0, 1), operator, f"quant_mode must be 0 or 1, got {quant_mode}")
    require(swiglu_mode in (0, 1), operator, f"swiglu_mode must be 0 or 1, got {swiglu_mode}")
    if x.dtype == torch.int32:
        require(weight_scale is not None, operator, "an int32 x demands weight_scale")
    else:
        plain = weight_scale is activation_scale is bias is None
        require(plain, operator, "an x in floats goes without weight_scale, activation_scale and bias")
    if group_index is not None:
        require(quant_mode == 1, operator, "groups demand quant_mode 1")
        require(bias is quant_offset is None, operator, "groups go without bias and quant_offset")
        width = x.shape[-1] // 2
        fits = width <= _WIDEST and width % 64 == 0
        require(fits, operator, f"with groups H must be a multiple of 64, at most {_WIDEST}, got {width}")
    require(quant_mode == 1 or quant_scale is not None, operator, "quant_mode 0 demands quant_scale")


def _group_of_rows(operator: str, group_index: torch.Tensor | None, rows: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the group of each row, and whether it is in one."""
    if group_index is None:
        return torch.zeros(rows, dtype=torch.int64), torch.ones(rows, dtype=torch.bool)
    require(bool((group_index >= 0).all()), operator, "group_index must not be negative")
    found = torch.arange(len(group_index)).repeat_interleave(group_index)
    require(len(found) <= rows, operator, "group_index must not name more rows than x has")
    left = torch.zeros(rows - len(found), dtype=torch.int64)
    return torch.cat((found, left)), torch.arange(rows) < len(found)


def _swiglu(
    operator: str,
    x: torch.Tensor,
    weight_scale: torch.Tensor | None,
    activation_scale: torch.Tensor | None,
    bias: torch.Tensor | None,
    quant_scale: torch.Tensor | None,
    quant_offset: torch.Tensor | None,
    group_index: torch.Tensor | None,
    activate_left: bool,
    quant_mode: int,
    swiglu_mode: int,
    clamp_limit: float,
    glu_alpha: float,
    glu_bias: float,
) -> tuple[torch.Tensor, torch.Tensor]:
    _check_swiglu(
        *(operator, x, weight_scale, activation_scale, bias, quant_scale, quant_offset, group_index),
        *(quant_mode, swiglu_mode),
    )
    rows = x.reshape(-1, x.shape[-1])
    group, inside = _group_of_rows(operator, group_index, len(rows))

    def of_rows(values: torch.Tensor) -> torch.Tensor:
        return values.float().reshape(-1, values.shape[-1])[group if values.dim() > 1 else 0]

    wide = (rows if bias is None else rows + bias).float()
    if weight_scale is not None:
        wide = wide * of_rows(weight_scale)
    if activation_scale is not None:
        wide = wide * activation_scale.reshape(-1, 1)
    gate, up = wide.chunk(2, -1) if activate_left else wide.chunk(2, -1)[::-1]
    variant = (clamp_limit, glu_alpha, glu_bias) if swiglu_mode == 1 else (0.0,)
    active = _activated(gate, up, *variant)
    active = active if quant_scale is None else active * of_rows(quant_scale)
    if quant_mode == 1:
        values, scale = with_row_scales(active, torch.int8)
    else:
        values = rounded(active if quant_offset is None else active + of_rows(quant_offset), torch.int8)
        scale = active.new_zeros(len(rows))
    values, scale = values * inside[:, None], scale * inside
    return values.view(*x.shape[:-1], -1), scale.view(x.shape[:-1])


def _swiglu_fake(operator: str, x: torch.Tensor, *arguments: object) -> tuple[torch.Tensor, torch.Tensor]:
    _check_swiglu(operator, x, *arguments)  # type: ignore[arg-type]
    shape = (*x.shape[:-1], x.shape[-1] // 2)
    return x.new_empty(shape, dtype=torch.int8), x.new_empty(x.shape[:-1], dtype=torch.float32)


def _register_swiglu(operator: str, left: bool, limit: float, alpha: float, plus: float) -> None:
    """Register one of the two forms, which differ in their defaults."""

    @reference(operator)
    def swiglu(
        x: torch.Tensor,
        *,
        weight_scale: torch.Tensor | None = None,
        activation_scale: torch.Tensor | None = None,
        bias: torch.Tensor | None = None,
        quant_scale: torch.Tensor | None = None,
        quant_offset: torch.Tensor | None = None,
        group_index: torch.Tensor | None = None,
        activate_left: bool = left,
        quant_mode: int = 0,
        swiglu_mode: int = 0,
        clamp_limit: float = limit,
        glu_alpha: float = alpha,
        glu_bias: float = plus,
        **others: object,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        absent(operator, **others)
        return _swiglu(
            *(operator, x, weight_scale, activation_scale, bias, quant_scale, quant_offset, group_index),
            *(activate_left, quant_mode, swiglu_mode, clamp_limit, glu_alpha, glu_bias),
        )

    @fake(operator)
    def swiglu_fake(
        x: torch.Tensor,
        *,
        weight_scale: torch.Tensor | None = None,
        activation_scale: torch.Tensor | None = None,
        bias: torch.Tensor | None = None,
        quant_scale: torch.Tensor | None = None,
        quant_offset: torch.Tensor | None = None,
        group_index: torch.Tensor | None = None,
        quant_mode: int = 0,
        swiglu_mode: int = 0,
        **others: object,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        return _swiglu_fake(
            *(operator, x, weight_scale, activation_scale, bias, quant_scale, quant_offset, group_index),
            *(quant_mode, swiglu_mode),
        )


_register_swiglu(_SWIGLU, left=False, limit=7.0, alpha=1.702, plus=1.0)
_register_swiglu(_OWN_SWIGLU, left=True, limit=0.0, alpha=1.0, plus=0.0)
