"""Products with quantised matrices against sums in Python's integers and float64."""

from __future__ import annotations

import pytest
import torch
from torch_npu_sim.constraints import ConstraintError
from torch_npu_sim.quantised_values import packed

from tests.simulator.operators.running import checked, close, dtypes, run

BOTH, WEIGHT = "npu_quant_matmul", "npu_weight_quant_batchmatmul"


def integers(*shape: int, low: int = -128, high: int = 128) -> torch.Tensor:
    return torch.randint(low, high, shape, dtype=torch.int8)


def sums(left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
    """The product, each sum in Python's integers."""
    columns = right.T.tolist()
    return torch.tensor(
        [
            [sum(a * b for a, b in zip(row, column, strict=True)) for column in columns]
            for row in left.tolist()
        ]
    )


@pytest.mark.parametrize("output", [torch.float16, torch.bfloat16, torch.float32])
@pytest.mark.parametrize("bias", [None, torch.int32, torch.float32])
@pytest.mark.parametrize("of_tokens", [False, True])
def test_product_scaled(of_tokens: bool, bias: torch.dtype | None, output: torch.dtype) -> None:
    x, weight = integers(5, 24), integers(24, 7)
    scale, rows = torch.rand(7) * 1e-3, torch.rand(5) if of_tokens else None
    added = None if bias is None else (torch.randn(7) * 1000).to(bias)
    result = run(BOTH, x, weight, scale, pertoken_scale=rows, bias=added, output_dtype=output)
    exact = sums(x, weight).double()
    if bias == torch.int32:
        exact += added
    exact = exact * scale.double() * (1 if rows is None else rows.double()[:, None])
    if bias == torch.float32:
        exact += added
    close(result, exact, output, 4)


def test_an_int64_scale_holds_a_float_in_its_lower_half() -> None:
    x, weight, scale = integers(2, 8), integers(8, 3), torch.rand(3)
    bits = scale.view(torch.int32).long() | (123 << 40)
    close(
        run(BOTH, x, weight, bits, output_dtype=torch.float16),
        sums(x, weight) * scale.double(), torch.float16, 4,
    )  # fmt: skip


def test_integers_come_out_rounded() -> None:
    x, weight = integers(4, 16, low=-3, high=3), integers(16, 6, low=-3, high=3)
    scale, offset = torch.full((6,), 0.25), torch.arange(6.0)
    result = run(BOTH, x, weight, scale, offset=offset)
    exact = [[round(s * 0.25 + column) for column, s in enumerate(row)] for row in sums(x, weight).tolist()]
    assert result.dtype == torch.int8
    assert result.tolist() == exact
    assert torch.equal(run(BOTH, x, weight, scale, output_dtype=torch.int32), sums(x, weight).int())


@pytest.mark.parametrize("turned", [False, True])
def test_four_bits(turned: bool) -> None:
    x, weight = integers(4, 16, low=-8, high=8), integers(16, 8, low=-8, high=8)
    matrix = packed(weight.T).T if turned else packed(weight)
    result = run(BOTH, packed(x), matrix, torch.ones(8), output_dtype=torch.int32)
    assert torch.equal(result, sums(x, weight).int())


@dtypes
@pytest.mark.parametrize("group", [0, 32])
@pytest.mark.parametrize("four_bits", [False, True])
def test_weights_alone_are_quantised(four_bits: bool, group: int, dtype: torch.dtype) -> None:
    inner, columns = 64, 8
    x = torch.randn(3, inner).to(dtype)
    weight = integers(inner, columns, low=-8, high=8)
    shape = (inner // group, columns) if group else (1, columns)
    scale, offset = (torch.randn(shape).to(dtype) for _ in range(2))
    bias = torch.randn(columns).to(torch.float32 if dtype == torch.bfloat16 else torch.float16)
    result = run(
        WEIGHT,
        x,
        packed(weight) if four_bits else weight,
        scale,
        offset,
        bias=bias,
        antiquant_group_size=group,
    )
    exact = torch.zeros(3, columns).double()
    for row in range(3):
        for column in range(columns):
            for place in range(inner):
                of = place // group if group else 0
                value = (float(weight[place, column]) + float(offset[of, column])) * float(scale[of, column])
                exact[row, column] += float(x[row, place]) * value
    close(result, exact + bias.double(), dtype, 10)


@pytest.mark.parametrize(
    ("name", "call"),
    [
        (BOTH, ((integers(3, 8), integers(8, 4), torch.rand(4)), {"output_dtype": torch.bfloat16})),
        (BOTH, ((integers(3, 8), integers(8, 4), torch.rand(4)),
                {"output_dtype": torch.float16, "pertoken_scale": torch.rand(3), "bias": torch.randn(4)})),
        (WEIGHT, ((torch.randn(3, 8), integers(8, 4), torch.rand(4), torch.rand(4)), {})),
    ],
)  # fmt: skip
def test_opcheck(name: str, call: tuple[tuple[object, ...], dict[str, object]]) -> None:
    checked(name, call)


@pytest.mark.parametrize(
    ("change", "demand"),
    [
        ({0: torch.zeros(3, 9, dtype=torch.int8)}, "x1 and x2 must agree in K"),
        ({2: torch.ones(3)}, "scale must have 1 or 4 values"),
        ({"pertoken_scale": torch.ones(2)}, "one value a row of x1"),
        ({1: torch.zeros(8, 4)}, "x2 is torch.float32"),
        ({"output_dtype": torch.float8_e4m3fn}, "output is torch.float8_e4m3fn"),
    ],
)
def test_what_is_documented(change: dict[int | str, object], demand: str) -> None:
    given = [integers(3, 8), integers(8, 4), torch.ones(4)]
    arguments = [change.get(place, value) for place, value in enumerate(given)]
    keywords = {"output_dtype": torch.float16} | {n: v for n, v in change.items() if isinstance(n, str)}
    with pytest.raises(ConstraintError, match=demand):
        run(BOTH, *arguments, **keywords)
