"""Rows are written where the indices say, and nowhere else."""

from __future__ import annotations

import pytest
import torch
from torch_npu_sim.constraints import ConstraintError

from tests.simulator.operators.running import Call, checked, run

UPDATE, ROWS = "npu_scatter_nd_update_", "_C_ascend::npu_scatter_nd_update_sk"


@pytest.mark.parametrize("depth", [1, 2])
@pytest.mark.parametrize("indices_dtype", [torch.int32, torch.int64])
def test_places_are_written(depth: int, indices_dtype: torch.dtype) -> None:
    target = torch.full((4, 5, 6), 7.0)
    places = [(3, 1), (0, 4), (2, 0)]
    indices = torch.tensor(places)[:, :depth].to(indices_dtype)
    updates = torch.randn(3, *target.shape[depth:])
    assert run(UPDATE, target, indices, updates) is target
    for place, update in zip(places, updates, strict=True):
        assert torch.equal(target[place[:depth]], update)
        target[place[:depth]] = 7.0
    assert (target == 7.0).all()


def test_rows_of_a_strided_cache_are_written() -> None:
    whole = torch.full((5, 12), 7.0)
    updates = torch.randn(2, 8)
    run(ROWS, whole[:, :8], torch.tensor([[4], [1]]), updates)
    assert torch.equal(whole[4, :8], updates[0])
    assert torch.equal(whole[1, :8], updates[1])
    assert (whole[:, 8:] == 7.0).all()
    assert (whole[[0, 2, 3]] == 7.0).all()


def samples() -> dict[str, Call]:
    indices, updates = torch.tensor([[3], [1]]), torch.randn(2, 6)
    return {
        UPDATE: ((torch.zeros(4, 6), indices, updates), {}),
        ROWS: ((torch.zeros(4, 6), indices, updates), {}),
    }


@pytest.mark.parametrize("name", samples())
def test_opcheck(name: str) -> None:
    # torch traces no operator whose schema returns an argument.
    checked(name, samples()[name], without=("test_aot_dispatch_dynamic",) if name == UPDATE else ())


@pytest.mark.parametrize(
    ("name", "place", "value", "demand"),
    [
        (UPDATE, 1, torch.tensor([[4], [1]]), "indices must lie within input"),
        (UPDATE, 1, torch.tensor([[1], [1]]), "indices must not repeat"),
        (UPDATE, 1, torch.tensor([3, 1]), "two dimensions or more"),
        (UPDATE, 2, torch.randn(2, 5), r"updates must be \(2, 6\), got \(2, 5\)"),
        (UPDATE, 2, torch.randn(2, 6).half(), "dtypes must agree"),
        (ROWS, 0, torch.zeros(6, 4).T, "rows of var must be contiguous"),
    ],
)
def test_what_is_documented(name: str, place: int, value: object, demand: str) -> None:
    arguments = list(samples()[name][0])
    arguments[place] = value
    with pytest.raises(ConstraintError, match=demand):
        run(name, *arguments)
