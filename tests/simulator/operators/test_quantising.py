"""Quantisation against its formulas, value by value."""

from __future__ import annotations

import pytest
import torch
from torch_npu_sim.constraints import ConstraintError
from torch_npu_sim.quantised_values import packed, unpacked

from tests.simulator.operators.running import checked, dtypes, run


def nearest(value: float, low: int = -128, high: int = 127) -> int:
    """The nearest integer, the even one of two; none beyond the bounds."""
    return min(max(round(value), low), high)


@dtypes
@pytest.mark.parametrize("divides", [False, True])
def test_static(divides: bool, dtype: torch.dtype) -> None:
    x, scales = (
        torch.randn(3, 8).to(dtype) * 4,
        (torch.rand(8) + 0.5).to(dtype if not divides else torch.float32),
    )
    zeros = torch.randint(-5, 5, (8,)).to(torch.int8 if divides else dtype)
    if divides:
        result = run("npu_quantize", x, scales, zeros, torch.qint8, 1, True)
    else:
        result = run("npu_quantize", x, scales, zeros, torch.qint8, -1, False)
    exact = [
        [
            nearest((a / s if divides else a * s) + z)
            for a, s, z in zip(row, scales.tolist(), zeros.tolist(), strict=True)
        ]
        for row in x.tolist()
    ]
    assert result.dtype == torch.int8
    # Where the sum lies between two integers float32 may choose the other.
    assert (result - torch.tensor(exact)).abs().max() <= 1
    assert (result == torch.tensor(exact)).float().mean() > 0.95


def test_static_values_are_clamped() -> None:
    x = torch.tensor([[1000.0, -1000.0, 2.5, 3.5]])
    assert run("npu_quantize", x, torch.ones(1), None, torch.qint8, -1, False).tolist() == [[127, -128, 2, 4]]


@dtypes
@pytest.mark.parametrize("smooth", [False, True])
def test_dynamic(smooth: bool, dtype: torch.dtype) -> None:
    x, factors = torch.randn(2, 3, 16).to(dtype), torch.rand(16).to(dtype) if smooth else None
    x[1, 2] = 0
    values, scale = run("npu_dynamic_quant", x, smooth_scales=factors)
    assert (values.dtype, scale.dtype, scale.shape) == (torch.int8, torch.float32, (2, 3))
    wide = x.double() if factors is None else x.double() * factors.double()
    assert values[1, 2].tolist() == [0] * 16
    assert scale[1, 2] == 0
    # Each value is within half a step of what it stands for, and the largest of a row is 127.
    assert (
        (values.double() * scale[..., None].double() - wide).abs() <= scale[..., None].double() * 0.5001
    ).all()
    assert (values.abs().amax(-1).flatten()[:-1] == 127).all()


def test_dynamic_of_four_bits() -> None:
    x = torch.randn(3, 16)
    values, scale = run("npu_dynamic_quant", x, dst_type=torch.quint4x2)
    assert (values.shape, values.dtype) == ((3, 2), torch.int32)
    whole = unpacked(values)
    assert whole.abs().max() == 7
    assert ((whole * scale[:, None] - x).abs() <= scale[:, None] * 0.5001).all()


def test_eight_values_an_int32() -> None:
    values = torch.randint(-8, 8, (5, 24), dtype=torch.int32)
    result = run("npu_convert_weight_to_int4pack", values)
    for row, numbers in zip(result.tolist(), values.tolist(), strict=True):
        for place, number in enumerate(row):
            bits = sum((one & 15) << (4 * i) for i, one in enumerate(numbers[place * 8 : place * 8 + 8]))
            assert number & 0xFFFFFFFF == bits
    assert torch.equal(unpacked(result), values.to(torch.int8))
    assert torch.equal(packed(values), result)


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("npu_quantize", ((torch.randn(3, 8), torch.rand(8), torch.rand(8), torch.qint8, -1, False), {})),
        ("npu_dynamic_quant", ((torch.randn(3, 8),), {"smooth_scales": torch.rand(8)})),
        ("npu_dynamic_quant", ((torch.randn(3, 8),), {"dst_type": torch.quint4x2})),
        ("npu_convert_weight_to_int4pack", ((torch.randint(-8, 8, (3, 16), dtype=torch.int32),), {})),
    ],
)
def test_opcheck(name: str, call: tuple[tuple[object, ...], dict[str, object]]) -> None:
    checked(name, call)


@pytest.mark.parametrize(
    ("name", "arguments", "demand"),
    [
        ("npu_quantize", (torch.ones(2, 8), torch.ones(7), None, 12, -1, False), "must have 1 or 8 values"),
        (
            "npu_quantize",
            (torch.ones(2, 8), torch.ones(8), torch.ones(8).half(), 12, -1, False),
            "the dtype and shape of",
        ),
        ("npu_dynamic_quant", (torch.ones(8),), "more than one dimension"),
        ("npu_dynamic_quant", (torch.ones(2, 8).double(),), "x is torch.float64"),
        (
            "npu_convert_weight_to_int4pack",
            (torch.full((2, 8), 8, dtype=torch.int32),),
            r"must lie in \[-8, 7\]",
        ),
        ("npu_convert_weight_to_int4pack", (torch.zeros(2, 9, dtype=torch.int32),), "a multiple of 8"),
    ],
)
def test_what_is_documented(name: str, arguments: tuple[object, ...], demand: str) -> None:
    with pytest.raises(ConstraintError, match=demand):
        run(name, *arguments)
