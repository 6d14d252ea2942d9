"""RMSNorm of vllm-ascend's own extension against its formula, row by row."""

from __future__ import annotations

import math

import pytest
import torch
from torch_npu_sim.constraints import ConstraintError

from tests.simulator.operators.running import Call, checked, close, dtypes, run

WITH_BIAS, GEMMA, CAST = (
    "_C_ascend::npu_add_rms_norm_bias",
    "_C_ascend::npu_gemma_rms_norm",
    "_C_ascend::npu_rms_norm_cast",
)


def normalised(x: torch.Tensor, gamma: torch.Tensor, beta: torch.Tensor | None = None) -> torch.Tensor:
    rows = []
    for row in x.double().flatten(0, -2).tolist():
        mean = sum(value * value for value in row) / len(row)
        rows.append(
            [
                value / math.sqrt(mean + 1e-5) * g
                for value, g in zip(row, gamma.double().tolist(), strict=True)
            ]
        )
    found = torch.tensor(rows, dtype=torch.float64).view(x.shape)
    return found if beta is None else found + beta.double()


@dtypes
@pytest.mark.parametrize("shape", [(5, 32), (2, 3, 16)])
@pytest.mark.parametrize("biased", [False, True])
def test_sum_with_bias(biased: bool, shape: tuple[int, ...], dtype: torch.dtype) -> None:
    x1, x2 = torch.randn(shape).to(dtype), torch.randn(shape).to(dtype)
    gamma, beta = (torch.randn(shape[-1]).to(dtype) for _ in range(2))
    y, rstd, total = run(WITH_BIAS, x1, x2, gamma, beta if biased else None, 1e-5)
    close(total, x1.double() + x2.double(), dtype)
    close(y, normalised(total, gamma, beta if biased else None), dtype)
    assert rstd.shape == (*shape[:-1], 1)
    mean = total.double().square().mean(-1, keepdim=True)
    torch.testing.assert_close(rstd.double(), (mean + 1e-5) ** -0.5, rtol=1e-4, atol=1e-4)


@dtypes
def test_one_is_added_to_gemmas_weights(dtype: torch.dtype) -> None:
    x, gamma = torch.randn(4, 32).to(dtype), torch.randn(32).to(dtype)
    y, _ = run(GEMMA, x, gamma, 1e-5)
    close(y, normalised(x, 1 + gamma.double()), dtype, 2)


@dtypes
def test_the_rounded_result_in_float32(dtype: torch.dtype) -> None:
    x, gamma = torch.randn(4, 32).to(dtype), torch.randn(32).to(dtype)
    y, wide = run(CAST, x, gamma, 1e-5)
    close(y, normalised(x, gamma), dtype)
    assert torch.equal(wide, y.float())


def samples() -> dict[str, Call]:
    x, gamma = torch.randn(3, 8), torch.randn(8)
    return {
        WITH_BIAS: ((x, x + 1, gamma, torch.randn(8)), {}),
        GEMMA: ((x, gamma), {}),
        CAST: ((x, gamma), {}),
    }


@pytest.mark.parametrize("name", samples())
def test_opcheck(name: str) -> None:
    checked(name, samples()[name])


@pytest.mark.parametrize(
    ("place", "value", "demand"),
    [
        (1, torch.randn(4, 8), "x1 and x2 must have one shape"),
        (2, torch.randn(7), "gamma must have the shape of x1's last dimensions"),
        (3, torch.randn(8).half(), "beta must have gamma's shape and dtype"),
    ],
)
def test_what_is_demanded(place: int, value: torch.Tensor, demand: str) -> None:
    arguments = list(samples()[WITH_BIAS][0])
    arguments[place] = value
    with pytest.raises(ConstraintError, match=demand):
        run(WITH_BIAS, *arguments)
