"""Products of int8 against their formulas: see ``test_formulas.py``."""

from __future__ import annotations

import pytest
import torch
from ascend_backend.ops import moe, quantised

from tests.backend.lane.formulas import TOLERANCE, close, dtypes

pytestmark = pytest.mark.usefixtures("seed")


def whole(rows: torch.Tensor) -> torch.Tensor:
    """Rows as int8 has them with a scale each, in float64."""
    scale = rows.double().abs().amax(-1, keepdim=True) / 127
    return (rows.double() / scale).round() * scale


def weights(*shape: int) -> tuple[torch.Tensor, torch.Tensor]:
    return torch.randint(-127, 128, shape, dtype=torch.int8), torch.rand(shape[:-1]) / 200 + 0.001


@dtypes
@pytest.mark.parametrize("shape", [(1, 24), (7, 24), (2, 3, 24)])
@pytest.mark.parametrize("biased", [False, True])
def test_linear_of_measured_tokens(shape: tuple[int, ...], biased: bool, dtype: torch.dtype) -> None:
    x, (weight, scale) = torch.randn(shape).to(dtype), weights(20, 24)
    bias = torch.randn(20).to(dtype) if biased else None
    exact = whole(x) @ (weight.double() * scale.double()[:, None]).T
    result = quantised.linear(x, weight, scale, bias)
    # A half of int8's step may be rounded either way.
    close(
        result, exact if bias is None else exact + bias.double(), dtype, scale=max(4, 2e-3 / TOLERANCE[dtype])
    )


@dtypes
def test_linear_with_one_scale_for_all_tokens(dtype: torch.dtype) -> None:
    x, (weight, scale) = torch.randn(7, 24).to(dtype), weights(20, 24)
    # Powers of two, which every dtype has exactly; what is beyond 127 steps is cut off.
    factor = torch.tensor([64.0]).to(dtype)
    values = (x.double() * 64).round().clamp(-128, 127)
    assert (values == 127).any()
    exact = values @ (weight.double() * scale.double()[:, None]).T
    close(quantised.static_linear(x, weight, scale, factor, None), exact, dtype, scale=4)
    # Floats are added to the result, whole numbers and what a zero point brings to the sums.
    bias = torch.randn(20).to(dtype)
    biased = quantised.static_linear(x, weight, scale, factor, bias)
    close(biased, exact + bias.double(), dtype, scale=4)
    zero = torch.tensor([3.0]).to(dtype)
    whole = (torch.arange(20) - 3 * weight.sum(-1)).int()
    moved = (x.double() * 64 + 3).round().clamp(-128, 127)
    exact = (moved @ weight.double().T + whole.double()) * scale.double()
    close(quantised.static_linear(x, weight, scale, factor, whole, zero), exact, dtype, scale=4)


@dtypes
def test_experts_of_int8(dtype: torch.dtype) -> None:
    x, chosen, shares = (
        torch.randn(5, 24).to(dtype),
        torch.tensor([[0, 2], [2, 1], [1, 3], [3, 0], [2, 0]]),
        torch.rand(5, 2),
    )
    (gate_up, of_gate_up), (down, of_down) = weights(4, 40, 24), weights(4, 24, 20)
    if dtype == torch.bfloat16:
        # Documented are scales of the results' dtype.
        of_gate_up, of_down = of_gate_up.to(dtype), of_down.to(dtype)
    exact = torch.zeros(5, 24, dtype=torch.float64)
    for token in range(5):
        for share, expert in zip(shares[token], chosen[token], strict=True):
            hidden = gate_up[expert].double() @ whole(x[token]) * of_gate_up[expert].double()
            active = hidden[:20] * hidden[:20].sigmoid() * hidden[20:]
            exact[token] += share.double() * (
                down[expert].double() @ whole(active) * of_down[expert].double()
            )
    scales = (of_gate_up, of_down)
    result = moe.swiglu_experts(x, shares, chosen.int(), gate_up, down, None, scales)
    # A value that is rounded to another step of int8 moves a sum by a hundredth.
    close(result, exact, dtype, scale=max(4, 3e-2 / TOLERANCE[dtype]))
    assert exact.abs().max() > 0.5
