"""Activations against their formulas, number by number."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch
from torch_npu_sim.constraints import ConstraintError

from tests.simulator.operators.running import checked, close, dtypes, run

CLIPPED, FAST_GELU = "npu_clipped_swiglu", "npu_fast_gelu"


def activated(a: float, b: float, alpha: float, limit: float, bias: float) -> float:
    a, b = min(a, limit), max(-limit, min(b, limit))
    return a / (1 + math.exp(-alpha * a)) * (b + bias)


@dtypes
@pytest.mark.parametrize("interleaved", [True, False])
@pytest.mark.parametrize("groups", [None, [2, 1]])
def test_clipped(groups: list[int] | None, interleaved: bool, dtype: torch.dtype) -> None:
    x = (torch.randn(4, 8) * 3).to(dtype)
    more: dict[str, Any] = {} if groups is None else {"group_index": torch.tensor(groups)}
    result = run(CLIPPED, x, alpha=1.5, limit=2.0, bias=0.5, interleaved=interleaved, **more)
    used = 4 if groups is None else sum(groups)
    for row in range(4):
        values = x[row].tolist()
        pairs = (
            list(zip(values[::2], values[1::2], strict=True))
            if interleaved
            else list(zip(values[:4], values[4:], strict=True))
        )
        exact = [activated(a, b, 1.5, 2.0, 0.5) if row < used else 0.0 for a, b in pairs]
        close(result[row], torch.tensor(exact, dtype=torch.float64), dtype, 2)


def test_clipped_along_another_dimension() -> None:
    x = torch.randn(2, 4, 3)
    result = run(CLIPPED, x, dim=1, interleaved=False)
    for i in range(2):
        for j in range(2):
            for k in range(3):
                exact = activated(float(x[i, j, k]), float(x[i, j + 2, k]), 1.702, 7.0, 1.0)
                assert float(result[i, j, k]) == pytest.approx(exact, rel=1e-4, abs=1e-5)


@dtypes
def test_fast_gelu(dtype: torch.dtype) -> None:
    x = torch.randn(3, 5).to(dtype)
    exact = [[v / (1 + math.exp(-1.702 * v)) for v in row] for row in x.tolist()]
    close(run(FAST_GELU, x), torch.tensor(exact, dtype=torch.float64), dtype)


def test_opcheck() -> None:
    checked(CLIPPED, ((torch.randn(4, 8),), {"group_index": torch.tensor([1, 2])}))
    checked(FAST_GELU, ((torch.randn(4, 8),), {}))


@pytest.mark.parametrize(
    ("x", "keywords", "demand"),
    [
        (torch.randn(4, 7), {}, "must be even, got 7"),
        (torch.randn(8), {}, "must have 2 to 8 dimensions"),
        (torch.randn(8, 4).T, {}, "x must be contiguous"),
        (torch.randn(4, 8), {"group_index": torch.tensor([5])}, "more rows than x has"),
    ],
)
def test_what_is_documented(x: torch.Tensor, keywords: dict[str, Any], demand: str) -> None:
    with pytest.raises(ConstraintError, match=demand):
        run(CLIPPED, x, **keywords)
