"""RMSNorm that ends in integers against its formula, row by row."""

from __future__ import annotations

import math

import pytest
import torch
from torch_npu_sim.constraints import ConstraintError

from tests.simulator.operators.running import Call, checked, run

STATIC, DYNAMIC, OWN = (
    "npu_add_rms_norm_quant",
    "npu_add_rms_norm_dynamic_quant",
    "_C_ascend::npu_rms_norm_dynamic_quant",
)


def normalised(row: list[float], gamma: list[float], beta: list[float]) -> list[float]:
    mean = sum(value * value for value in row) / len(row)
    return [value / math.sqrt(mean + 1e-6) * g + b for value, g, b in zip(row, gamma, beta, strict=True)]


@pytest.mark.parametrize("divides", [True, False])
def test_by_given_scales(divides: bool) -> None:
    x1, x2, gamma, beta = torch.randn(5, 16), torch.randn(5, 16), torch.randn(16), torch.randn(16)
    scales, zeros = torch.rand(16) * 0.1 + 0.02, torch.randint(-9, 9, (16,), dtype=torch.int32)
    scales = scales if divides else 1 / scales
    values, second, total = run(STATIC, x1, x2, gamma, scales, zeros, beta, div_mode=divides)
    torch.testing.assert_close(total, x1 + x2)
    assert not second.any()
    for row, result in zip(total.tolist(), values.tolist(), strict=True):
        wide = normalised(row, gamma.tolist(), beta.tolist())
        for value, w, s, z in zip(result, wide, scales.tolist(), zeros.tolist(), strict=True):
            wanted = max(-128, min((w / s if divides else w * s) + z, 127))
            assert abs(value - wanted) <= 0.51


@pytest.mark.parametrize("smooth", [False, True])
@pytest.mark.parametrize("name", [DYNAMIC, OWN])
def test_by_scales_of_rows(name: str, smooth: bool) -> None:
    x1, x2, gamma, beta = torch.randn(5, 16), torch.randn(5, 16), torch.randn(16), torch.randn(16)
    factors = torch.rand(16) if smooth else None
    if name == DYNAMIC:
        values, _, total, scale, _ = run(name, x1, x2, gamma, smooth_scale1=factors, beta=beta)
        torch.testing.assert_close(total, x1 + x2)
    else:
        total = x1 + x2
        values, scale = run(name, total, gamma, factors, beta)
    for row, result, step in zip(total.tolist(), values.tolist(), scale.tolist(), strict=True):
        wide = normalised(row, gamma.tolist(), beta.tolist())
        wide = wide if factors is None else [w * f for w, f in zip(wide, factors.tolist(), strict=True)]
        assert step == pytest.approx(max(abs(w) for w in wide) / 127, rel=1e-4)
        assert all(abs(value * step - w) <= 0.51 * step for value, w in zip(result, wide, strict=True))


def samples() -> dict[str, Call]:
    x1, x2, gamma = torch.randn(3, 8), torch.randn(3, 8), torch.randn(8)
    return {
        STATIC: ((x1, x2, gamma, torch.rand(8) + 0.1, None), {}),
        DYNAMIC: ((x1, x2, gamma), {"smooth_scale1": torch.rand(8), "output_mask": [True, False]}),
        OWN: ((x1, gamma), {}),
    }


@pytest.mark.parametrize("name", samples())
def test_opcheck(name: str) -> None:
    checked(name, samples()[name])


@pytest.mark.parametrize(
    ("name", "place", "value", "demand"),
    [
        (STATIC, 1, torch.randn(4, 8), "x1 and x2 must have one shape"),
        (STATIC, 3, torch.rand(1), "scales1 must have the shape of gamma"),
        (STATIC, 4, torch.zeros(8, dtype=torch.int8), "zero_points1 is torch.int8"),
        (DYNAMIC, 2, torch.randn(8).half(), "dtypes must agree"),
        (OWN, 1, torch.randn(7), "gamma must have the shape of the last dimensions"),
    ],
)
def test_what_is_documented(name: str, place: int, value: object, demand: str) -> None:
    arguments, keywords = samples()[name]
    given = [value if number == place else argument for number, argument in enumerate(arguments)]
    with pytest.raises(ConstraintError, match=demand):
        run(name, *given, **keywords)
