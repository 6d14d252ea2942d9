"""LoRA's operators against token by token products."""

from __future__ import annotations

import pytest
import torch
from torch_npu_sim.constraints import ConstraintError

from tests.simulator.operators.running import Call, checked, close, dtypes, run

SHRINK, EXPAND = "_C_ascend::bgmv_shrink", "_C_ascend::bgmv_expand"
RUNS_SHRINK, RUNS_EXPAND = "_C_ascend::sgmv_shrink", "_C_ascend::sgmv_expand"


def a_shrink(dtype: torch.dtype = torch.float32) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    return torch.randn(5, 64).to(dtype), torch.randn(3, 1, 8, 64).to(dtype), torch.randn(5, 8)


def an_expand(dtype: torch.dtype = torch.float32) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    return torch.randn(5, 8), torch.randn(3, 24, 8).to(dtype), torch.randn(5, 40).to(dtype)


def samples() -> dict[str, Call]:
    of_tokens, of_runs, lengths = torch.tensor([2, -1, 0, 0, 1]), torch.tensor([2, 0]), torch.tensor([3, 1])
    (x, a, low), (part, b, y) = a_shrink(), an_expand()
    return {
        SHRINK: ((x, a, of_tokens, low, 0.5), {}),
        RUNS_SHRINK: ((x, a, of_runs, lengths, low, 0.5), {}),
        EXPAND: ((part, b, of_tokens, y, 8, 24), {}),
        RUNS_EXPAND: ((part, b, of_runs, lengths, y, 8, 24), {}),
    }


@pytest.mark.parametrize("name", samples())
def test_opcheck(name: str) -> None:
    # Its schema calls the result new, as its meta function does; the extension returns y itself, as here.
    returns_y = ("test_schema", "test_faketensor", "test_aot_dispatch_dynamic") if "expand" in name else ()
    checked(name, samples()[name], without=returns_y)


@dtypes
@pytest.mark.parametrize("runs", [False, True])
def test_shrink(runs: bool, dtype: torch.dtype) -> None:
    x, weight, y = a_shrink(dtype)
    before, adapters = y.clone(), [2, 2, -1, 0, -1] if runs else [2, -1, 0, 0, 1]
    if runs:
        run(RUNS_SHRINK, x, weight, torch.tensor([2, -1, 0]), torch.tensor([2, 1, 1]), y, 0.5)
    else:
        run(SHRINK, x, weight, torch.tensor(adapters), y, 0.5)
    for token, adapter in enumerate(adapters):
        exact = 0.5 * weight[adapter, 0].double() @ x[token].double() if adapter >= 0 else before[token]
        torch.testing.assert_close(y[token].double(), exact.double(), rtol=1e-4, atol=1e-4)


@dtypes
@pytest.mark.parametrize("runs", [False, True])
def test_expand(runs: bool, dtype: torch.dtype) -> None:
    x, weight, y = an_expand(dtype)
    before, adapters = y.clone(), [2, 2, 0, -1, -1] if runs else [2, -1, 0, 0, 1]
    if runs:
        result = run(RUNS_EXPAND, x, weight, torch.tensor([2, 0]), torch.tensor([2, 1]), y, 8, 24)
    else:
        result = run(EXPAND, x, weight, torch.tensor(adapters), y, 8, 24)
    assert result is y
    exact = before.double()
    for token, adapter in enumerate(adapters):
        if adapter >= 0:
            exact[token, 8:32] += weight[adapter].double() @ x[token].double()
    close(y, exact, dtype, 4)


@pytest.mark.parametrize(
    ("name", "place", "value", "demand"),
    [
        (SHRINK, 3, torch.zeros(5, 80), "x must be wider than y"),
        (SHRINK, 2, torch.zeros(4, dtype=torch.int64), "an adapter for each token"),
        (SHRINK, 2, torch.zeros(5, dtype=torch.int32), "indices is torch.int32"),
        (SHRINK, 2, torch.full((5,), 3), "must hold adapter 3 of 8 rows, it holds 3"),
        (EXPAND, 0, torch.zeros(5, 12), "the rank must be one of"),
        (EXPAND, 4, 17, "the slice must lie within y"),
        (RUNS_EXPAND, 1, torch.zeros(3, 23, 8), "must hold adapter 2 of 24 rows, it holds 2"),
    ],
)
def test_what_the_extension_checks(name: str, place: int, value: object, demand: str) -> None:
    arguments = list(samples()[name][0])
    arguments[place] = value
    with pytest.raises(ConstraintError, match=demand):
        run(name, *arguments)


def test_a_weight_higher_than_the_slice_is_read_in_one_piece() -> None:
    x, weight, y = torch.randn(2, 8), torch.randn(3, 24, 8), torch.randn(2, 40)
    exact = y.double()
    rows = weight.double().reshape(72, 8)
    run(EXPAND, x, weight, torch.tensor([0, 1]), y, 0, 20)
    exact[0, :20] += rows[:20] @ x[0].double()
    # The kernel finds the second adapter behind 20 rows, not behind 24.
    exact[1, :20] += rows[20:40] @ x[1].double()
    close(y, exact, torch.float32, 4)
