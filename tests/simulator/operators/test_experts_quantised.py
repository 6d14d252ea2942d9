"""Experts in integers against their formulas, row by row."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch
from torch_npu_sim.constraints import ConstraintError

from tests.simulator.operators.running import Call, checked, run

FUSED = "npu_grouped_matmul_swiglu_quant"
OWN = ["_C_ascend::grouped_matmul_swiglu_quant", "_C_ascend::grouped_matmul_swiglu_quant_weight_nz"]
LIST = "_C_ascend::grouped_matmul_swiglu_quant_weight_nz_tensor_list"
SWIGLU, OWN_SWIGLU = "npu_dequant_swiglu_quant", "_C_ascend::npu_dequant_swiglu_quant"

ENDS, INNER, COLUMNS = [2, 2, 5], 16, 12


def given() -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    x = torch.randint(-128, 128, (6, INNER), dtype=torch.int8)
    weight = torch.randint(-128, 128, (3, INNER, COLUMNS), dtype=torch.int8)
    return x, weight, torch.rand(3, COLUMNS) * 1e-2, torch.rand(6) * 1e-2, torch.tensor(ENDS)


def active(gate: float, up: float, limit: float = 0.0, alpha: float = 1.0, bias: float = 0.0) -> float:
    if limit:
        gate, up = min(gate, limit), max(-limit, min(up, limit))
    return gate / (1 + math.exp(-alpha * gate)) * (up + bias)


def stands_for(values: torch.Tensor, scale: torch.Tensor, exact: list[float]) -> None:
    """Assert that a row of int8 and its scale stand for the exact one, to half a step."""
    largest = max(abs(value) for value in exact)
    assert scale.item() == pytest.approx(largest / 127, rel=1e-4)
    for value, wanted in zip(values.tolist(), exact, strict=True):
        assert abs(value * scale.item() - wanted) <= scale.item() * 0.51


@pytest.mark.parametrize("name", [FUSED, *OWN, LIST])
@pytest.mark.parametrize("limit", [0.0, 0.5])
def test_fused_product(name: str, limit: float) -> None:
    x, weight, weight_scale, x_scale, ends = given()
    if name == FUSED:
        limit = 0.0
        values, scales, _ = run(name, x, weight, ends, weight_scale, x_scale)
    elif name == LIST:
        values, scales, _ = run(name, x, [*weight], [*weight_scale], x_scale, ends, swiglu_limit=limit)
    else:
        values, scales, _ = run(name, x, weight, weight_scale, x_scale, ends, swiglu_limit=limit)
    groups = [0, 0, 2, 2, 2]
    for row, group in enumerate(groups):
        product = [
            sum(int(a) * int(b) for a, b in zip(x[row], weight[group, :, column], strict=True))
            * float(weight_scale[group, column]) * float(x_scale[row])
            for column in range(COLUMNS)
        ]  # fmt: skip
        half = COLUMNS // 2
        exact = [active(g, u, limit) for g, u in zip(product[:half], product[half:], strict=True)]
        stands_for(values[row], scales[row], exact)
    assert not values[5].any()


def swiglu_call(**changes: Any) -> Call:
    keywords = {
        "weight_scale": torch.rand(2, 256) * 1e-2,
        "activation_scale": torch.rand(6),
        "group_index": torch.tensor([3, 2]),
        "activate_left": True,
        "quant_mode": 1,
    }
    return (torch.randint(-500, 500, (6, 256), dtype=torch.int32),), keywords | changes


@pytest.mark.parametrize("name", [SWIGLU, OWN_SWIGLU])
@pytest.mark.parametrize("left", [True, False])
@pytest.mark.parametrize(
    "variant", [{}, {"swiglu_mode": 1, "clamp_limit": 2.0, "glu_alpha": 1.7, "glu_bias": 1.0}]
)
def test_activation_of_integers(name: str, left: bool, variant: dict[str, Any]) -> None:
    (x,), keywords = swiglu_call(activate_left=left, **variant)
    values, scales = run(name, x, **keywords)
    of = [variant[key] for key in ("clamp_limit", "glu_alpha", "glu_bias")] if variant else []
    for row, group in enumerate([0, 0, 0, 1, 1]):
        wide = [
            int(v) * float(keywords["weight_scale"][group, place]) * float(keywords["activation_scale"][row])
            for place, v in enumerate(x[row])
        ]
        first, second = (wide[:128], wide[128:]) if left else (wide[128:], wide[:128])
        stands_for(values[row], scales[row], [active(g, u, *of) for g, u in zip(first, second, strict=True)])
    assert not values[5].any()


@pytest.mark.parametrize("shape", [(4, 6), (2, 3, 6)])
def test_activation_of_floats_by_a_given_scale(shape: tuple[int, ...]) -> None:
    x, scale, offset = torch.randn(shape).bfloat16(), torch.rand(3) * 30, torch.randint(-3, 3, (3,)).float()
    values, _ = run(OWN_SWIGLU, x, quant_scale=scale, quant_offset=offset)
    for row, result in zip(x.flatten(0, -2).tolist(), values.flatten(0, -2).tolist(), strict=True):
        exact = [active(row[i], row[i + 3]) * float(scale[i]) + float(offset[i]) for i in range(3)]
        assert all(abs(value - wanted) <= 0.51 for value, wanted in zip(result, exact, strict=True))


@pytest.mark.parametrize("name", [FUSED, *OWN, LIST, SWIGLU, OWN_SWIGLU])
def test_opcheck(name: str) -> None:
    x, weight, weight_scale, x_scale, ends = given()
    if name in (SWIGLU, OWN_SWIGLU):
        checked(name, swiglu_call())
    elif name == FUSED:
        checked(name, ((x, weight, ends, weight_scale, x_scale), {}))
    elif name == LIST:
        checked(name, ((x, [*weight], [*weight_scale], x_scale, ends), {}))
    else:
        checked(name, ((x, weight, weight_scale, x_scale, ends), {}))


@pytest.mark.parametrize(
    ("place", "value", "demand"),
    [
        (2, torch.tensor([2, 1, 5]), "sums of lengths within x"),
        (2, torch.tensor([2, 3, 7]), "sums of lengths within x"),
        (3, torch.rand(3, COLUMNS + 1), "one value a column"),
        (4, torch.rand(5), "one value a row of x"),
        (2, torch.tensor(ENDS, dtype=torch.int32), "group_list is torch.int32"),
    ],
)
def test_what_the_fused_product_documents(place: int, value: object, demand: str) -> None:
    x, weight, weight_scale, x_scale, ends = given()
    arguments = [x, weight, ends, weight_scale, x_scale]
    arguments[place] = value  # type: ignore[call-overload]
    with pytest.raises(ConstraintError, match=demand):
        run(FUSED, *arguments)


@pytest.mark.parametrize(
    ("change", "demand"),
    [
        ({"weight_scale": None}, "an int32 x demands weight_scale"),
        ({"quant_mode": 0}, "groups demand quant_mode 1"),
        ({"group_index": torch.tensor([3, 4])}, "must not name more rows"),
        ({"bias": torch.zeros(256, dtype=torch.int32)}, "groups go without bias"),
    ],
)
def test_what_the_activation_documents(change: dict[str, Any], demand: str) -> None:
    arguments, keywords = swiglu_call(**change)
    with pytest.raises(ConstraintError, match=demand):
        run(OWN_SWIGLU, *arguments, **keywords)
