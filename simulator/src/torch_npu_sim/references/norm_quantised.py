"""RMSNorm that ends in integers: what ``torch_npu/_op_plugin_docs.py`` says of the operators.

vllm-ascend's own ``npu_rms_norm_dynamic_quant`` is held to the same as ``npu_add_rms_norm_dynamic_quant``.
"""

from collections.abc import Sequence

import torch

from torch_npu_sim.constraints import HALF, absent, dtype, rank, require, same_dtype
from torch_npu_sim.operators import fake, reference
from torch_npu_sim.quantised_values import dtype_of, rounded, with_row_scales

_STATIC = "npu_add_rms_norm_quant"
_DYNAMIC = "npu_add_rms_norm_dynamic_quant"
_OWN = "_C_ascend::npu_rms_norm_dynamic_quant"


def _normalised(x: torch.Tensor, gamma: torch.Tensor, beta: torch.Tensor | None, epsilon: float) -> torch.Tensor:
    wide = x.float()
    over = tuple(range(-gamma.dim(), 0))
    wide = wide * torch.rsqrt(wide.square().mean(over, keepdim=True) + epsilon) * gamma.float()
    return wide if beta is None else wide + beta.float()


def _check(operator: str, gamma: torch.Tensor, beta: torch.Tensor | None, **inputs: torch.Tensor) -> None:
    dtype(operator, HALF, **inputs, gamma=gamma, beta=beta)
    same_dtype(operator, **inputs, gamma=gamma, beta=beta)
    first = next(iter(inputs.values()))
    for x in inputs.values():
        require(x.shape == first.shape, operator, "x1 and x2 must have one shape")
        fits = x.shape[x.dim() - gamma.dim() :] == gamma.shape
        require(fits, operator, "gamma must have the shape of the last dimensions")
    require(beta is None or beta.shape == gamma.shape, operator, "beta must have the shape of gamma")


@fake(_STATIC)
@reference(_STATIC)
def npu_add_rms_norm_quant(
    x1: torch.Tensor,
    x2: torch.Tensor,
    gamma: torch.Tensor,
    scales1: torch.Tensor,
    zero_points1: torch.Tensor | None,
    beta: torch.Tensor | None = None,
    scales2: torch.Tensor | None = None,
    zero_points2: torch.Tensor | None = None,
    *,
    axis: int = -1,
    epsilon: float = 1e-6,
    div_mode: bool = True,
    dst_type: int | None = None,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return the normalised sum quantised by either scales, and the sum."""
    _check(_STATIC, gamma, beta, x1=x1, x2=x2)
    dtype(_STATIC, (torch.float32, torch.bfloat16), scales1=scales1, scales2=scales2)
    dtype(_STATIC, (torch.int32, torch.bfloat16), zero_points1=zero_points1, zero_points2=zero_points2)
    for name, values in (("scales1", scales1), ("scales2", scales2), ("zero_points1", zero_points1)):
        fits = values is None or values.shape == gamma.shape
        require(fits, _STATIC, f"{name} must have the shape of gamma")
    total = x1 + x2
    wide = _normalised(total, gamma, beta, epsilon)
    target = torch.int8 if dst_type is None else dtype_of(_STATIC, dst_type)

    def quantised(scales: torch.Tensor | None, zero_points: torch.Tensor | None) -> torch.Tensor:
        if scales is None:
            return wide.new_zeros(wide.shape, dtype=target)
        values = wide / scales.float() if div_mode else wide * scales.float()
        return rounded(values if zero_points is None else values + zero_points.float(), target)

    return quantised(scales1, zero_points1), quantised(scales2, zero_points2), total


@fake(_DYNAMIC)
@reference(_DYNAMIC)
def npu_add_rms_norm_dynamic_quant(
    x1: torch.Tensor,
    x2: torch.Tensor,
    gamma: torch.Tensor,
    *,
    smooth_scale1: torch.Tensor | None = None,
    smooth_scale2: torch.Tensor | None = None,
    beta: torch.Tensor | None = None,
    epsilon: float = 1e-6,
    output_mask: Sequence[bool] | None = None,
    y_dtype: int | None = None,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return the quantised sum, an unused second one, the sum, and the scales of both."""
    absent(_DYNAMIC, smooth_scale2=smooth_scale2)
    if y_dtype not in (None, 1):
        raise NotImplementedError(f"the reference implementation of {_DYNAMIC} supports int8 alone")
    _check(_DYNAMIC, gamma, beta, x1=x1, x2=x2)
    rank(_DYNAMIC, range(2, 9), x1=x1)
    rank(_DYNAMIC, range(1, 2), gamma=gamma)
    mask = list(output_mask or ())
    require(not mask or any(mask), _DYNAMIC, "output_mask must ask for one output")
    require(not mask or smooth_scale1 is None or mask[0], _DYNAMIC, "smooth_scale1 demands output_mask[0]")
    total = x1 + x2
    wide = _normalised(total, gamma, beta, epsilon)
    if smooth_scale1 is not None:
        fits = smooth_scale1.shape == gamma.shape and smooth_scale1.dtype == gamma.dtype
        require(fits, _DYNAMIC, "smooth_scale1 must be like gamma")
        wide = wide * smooth_scale1.float()
    values, scale = with_row_scales(wide, torch.int8)
    # Of a second output that is not asked for torch_npu's own meta function makes no elements.
    second = values.shape if not mask or (len(mask) > 1 and mask[1]) else (0,)
    return values, values.new_zeros(second), total, scale, scale.new_zeros(scale.shape)


@fake(_OWN)
@reference(_OWN)
def npu_rms_norm_dynamic_quant(
    x: torch.Tensor,
    gamma: torch.Tensor,
    smooth_scale: torch.Tensor | None = None,
    beta: torch.Tensor | None = None,
    epsilon: float = 1e-6,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the normalised tensor in int8, and the scales of its rows."""
    _check(_OWN, gamma, beta, x=x)
    wide = _normalised(x, gamma, beta, epsilon)
    return with_row_scales(wide if smooth_scale is None else wide * smooth_scale.float(), torch.int8)
