"""Groups of rows times their weights, in floats, in integers, and in floats with weights of few bits."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch_npu_sim.constraints import ConstraintError
from torch_npu_sim.quantised_values import packed

from tests.simulator.operators.running import Call, checked, close, dtypes, run

NAME = "npu_grouped_matmul"
COUNTS, OF_ROWS = [2, 0, 3], [0, 0, 2, 2, 2]
INNER, COLUMNS = 16, 8


def grouped(x: torch.Tensor, weight: list[torch.Tensor], **keywords: Any) -> torch.Tensor:
    given = {"group_list": torch.tensor(COUNTS), "group_list_type": 1, "split_item": 2, "group_type": 0}
    result: torch.Tensor = run(NAME, [x], weight, **given | keywords)[0]
    return result


@dtypes
@pytest.mark.parametrize("listed", [False, True])
@pytest.mark.parametrize("biased", [False, True])
def test_floats(biased: bool, listed: bool, dtype: torch.dtype) -> None:
    x, weight = torch.randn(6, INNER).to(dtype), torch.randn(3, INNER, COLUMNS).to(dtype)
    bias = torch.randn(3, COLUMNS) if biased else None
    more = {} if bias is None else {"bias": [*bias] if listed else [bias]}
    result = grouped(x, [*weight] if listed else [weight], **more)
    for row, group in enumerate(OF_ROWS):
        exact = x[row].double() @ weight[group].double() + (0 if bias is None else bias[group].double())
        close(result[row], exact, dtype, 4)
    assert not result[5].any()


def integers(*shape: int, low: int = -128, high: int = 128) -> torch.Tensor:
    return torch.randint(low, high, shape, dtype=torch.int8)


@pytest.mark.parametrize("listed", [False, True])
@pytest.mark.parametrize("of_rows", [False, True])
@pytest.mark.parametrize("scale_dtype", [torch.float32, torch.bfloat16])
def test_integers_with_scales(scale_dtype: torch.dtype, of_rows: bool, listed: bool) -> None:
    x, weight = integers(6, INNER), integers(3, INNER, COLUMNS)
    scale = (torch.rand(3, COLUMNS) * 1e-3).to(scale_dtype)
    rows, bias = torch.rand(6), torch.randint(-999, 999, (3, COLUMNS), dtype=torch.int32)
    lists = {"scale": scale, "bias": bias}
    more = {name: [*each] if listed else [each] for name, each in lists.items()}
    more |= {"per_token_scale": [rows]} if of_rows else {}
    result = grouped(x, [*weight] if listed else [weight], output_dtype=torch.bfloat16, **more)
    for row, group in enumerate(OF_ROWS):
        sums = [
            sum(int(a) * int(b) for a, b in zip(x[row], weight[group, :, column], strict=True))
            + int(bias[group, column])
            for column in range(COLUMNS)
        ]
        exact = torch.tensor(sums).double() * scale[group].double() * (rows[row].double() if of_rows else 1)
        close(result[row], exact, torch.bfloat16)


def test_sums_of_integers() -> None:
    x, weight = integers(6, INNER), integers(3, INNER, COLUMNS)
    result = grouped(x, [weight], output_dtype=torch.int32)
    for row, group in enumerate(OF_ROWS):
        assert torch.equal(result[row], (x[row].int()[:, None] * weight[group].int()).sum(0).int())


@dtypes
@pytest.mark.parametrize("four_bits", [False, True])
@pytest.mark.parametrize("parts", [None, 4])
def test_weights_of_few_bits(parts: int | None, four_bits: bool, dtype: torch.dtype) -> None:
    x, weight = torch.randn(6, INNER).to(dtype), integers(3, INNER, COLUMNS, low=-8, high=8)
    shape = (3, COLUMNS) if parts is None else (3, parts, COLUMNS)
    scale, offset = torch.randn(shape).to(dtype), torch.randint(-3, 3, shape).to(dtype)
    given = packed(weight) if four_bits else weight
    result = grouped(x, [given], antiquant_scale=[scale], antiquant_offset=[offset])
    for row, group in enumerate(OF_ROWS):
        exact = torch.zeros(COLUMNS).double()
        for place in range(INNER):
            of = ... if parts is None else place // (INNER // parts)
            value = (weight[group, place] + offset[group][of].double()) * scale[group][of].double()
            exact += x[row, place].double() * value
        close(result[row], exact, dtype, 10)


def samples() -> list[Call]:
    x, weight = integers(6, INNER), integers(3, INNER, COLUMNS)
    given = {"group_list": torch.tensor(COUNTS), "group_list_type": 1, "split_item": 2, "group_type": 0}
    scales = {
        "scale": [torch.rand(3, COLUMNS)],
        "per_token_scale": [torch.rand(6)],
        "output_dtype": torch.bfloat16,
    }
    few = {"antiquant_scale": [torch.rand(3, COLUMNS)], "antiquant_offset": [torch.rand(3, COLUMNS)]}
    return [
        (([x], [weight]), given | scales),
        (([torch.randn(6, INNER)], [packed(integers(3, INNER, COLUMNS, low=-8, high=8))]), given | few),
        (([torch.randn(6, INNER)], [*torch.randn(3, INNER, COLUMNS)]), given),
    ]


@pytest.mark.parametrize("call", samples())
def test_opcheck(call: Call) -> None:
    checked(NAME, call)


@pytest.mark.parametrize(
    ("change", "demand"),
    [
        ({"scale": None}, "integers demand a scale"),
        ({"scale": [torch.rand(2, COLUMNS)]}, "scale must have one entry a group"),
        ({"scale": [torch.rand(3, COLUMNS + 1)]}, "scale must have one value a column"),
        ({"per_token_scale": [torch.rand(5)]}, "one value a row"),
        ({"group_list": torch.tensor([2, 0, 5])}, "groups must lie within x"),
        ({"group_list": torch.tensor([2, 3])}, "one entry a group|one value a group"),
    ],
)
def test_what_is_documented(change: dict[str, Any], demand: str) -> None:
    arguments, keywords = samples()[0]
    with pytest.raises(ConstraintError, match=demand):
        run(NAME, *arguments, **keywords | change)
