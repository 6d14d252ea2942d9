"""Turning by given cosines and sines in every layout, pair by pair as complex numbers."""

from __future__ import annotations

import pytest
import torch
from torch_npu_sim.constraints import ConstraintError

from tests.simulator.operators.running import checked, close, dtypes, run

NAME = "npu_rotary_mul"
#: Layouts of x, and what of them r1 has: letters in capitals are kept, the others are 1.
LAYOUTS = ["bSnD", "bnSD", "SbnD", "BSnD", "BnSD", "SBnD", "BSND"]


@dtypes
@pytest.mark.parametrize("mode", ["half", "interleave"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts(layout: str, mode: str, dtype: torch.dtype) -> None:
    sizes = {"B": 2, "S": 5, "N": 3, "D": 8}
    x = torch.randn([sizes[letter.upper()] for letter in layout]).to(dtype)
    kept = [sizes[letter] if letter.isupper() else 1 for letter in layout[:3]]
    angles = torch.rand(*kept, 4) * 6
    double = angles.repeat(1, 1, 1, 2) if mode == "half" else angles.repeat_interleave(2, -1)
    cos, sin = double.cos().to(dtype), double.sin().to(dtype)
    if mode == "interleave" and sum(letter.isupper() for letter in layout) > 2:
        with pytest.raises(ConstraintError, match="r1 must be 1S1D, 11SD or S11D, got"):
            run(NAME, x, cos, sin, mode)
        return
    once = slice(0, 4) if mode == "half" else slice(0, 8, 2)
    other = slice(4, 8) if mode == "half" else slice(1, 8, 2)
    turn = torch.complex(cos.double()[..., once], sin.double()[..., once])
    product = torch.complex(x.double()[..., once], x.double()[..., other]) * turn
    exact = torch.empty(x.shape, dtype=torch.float64)
    exact[..., once], exact[..., other] = product.real, product.imag
    close(run(NAME, x, cos, sin, mode), exact, dtype, 2)


@pytest.mark.parametrize(
    ("shape", "r1", "demand"),
    [
        ((1, 4, 1000, 8), (1, 4, 1, 8), "B and N must be below 1000"),
        ((1, 1000, 4, 8), (1, 1, 4, 8), "B and N must be below 1000"),
        ((2, 4, 3, 8), (2, 4, 3, 4), "r1 must be"),
        ((2, 4, 3, 7), (1, 4, 1, 7), "D must be even"),
    ],
)
def test_what_is_documented(shape: tuple[int, ...], r1: tuple[int, ...], demand: str) -> None:
    with pytest.raises(ConstraintError, match=demand):
        run(NAME, torch.zeros(shape), torch.zeros(r1), torch.zeros(r1))


def test_opcheck() -> None:
    checked(NAME, ((torch.randn(2, 3, 5, 8), torch.randn(2, 1, 5, 8), torch.randn(2, 1, 5, 8)), {}))
