"""Filtering of logits against choosing token by token."""

from __future__ import annotations

import pytest
import torch
from torch_npu_sim.constraints import ConstraintError

from tests.simulator.operators.running import checked, dtypes, run

NAME = "npu_top_k_top_p"


def kept(row: list[float], k: int | None, p: float | None) -> set[int]:
    """The places that stay: by falling logits until k are in, or their probability is p or more."""
    order = sorted(range(len(row)), key=lambda place: -row[place])
    order = order if k is None else order[:k]
    if p is None:
        return set(order)
    weights = torch.tensor([row[place] for place in order], dtype=torch.float64).softmax(0).tolist()
    chosen, total = set[int](), 0.0
    for place, weight in zip(order, weights, strict=True):
        if total >= p and chosen:
            break
        chosen.add(place)
        total += weight
    return chosen


@dtypes
@pytest.mark.parametrize("with_k", [True, False])
@pytest.mark.parametrize("with_p", [True, False])
def test_what_stays(with_k: bool, with_p: bool, dtype: torch.dtype) -> None:
    # Distinct logits whose probabilities lie apart, so that no dtype changes the order.
    logits = torch.stack([torch.randperm(12) * 0.75 for _ in range(5)]).to(dtype)
    k = torch.tensor([1, 3, 12, 5, 2], dtype=torch.int32) if with_k else None
    p = torch.tensor([0.9, 0.6, 0.3, 1.0, 0.01]).to(dtype) if with_p else None
    if k is None and p is None:
        with pytest.raises(ConstraintError, match="p or k must be given"):
            run(NAME, logits, p, k)
        return
    result = run(NAME, logits, p, k)
    for number, row in enumerate(logits.tolist()):
        places = kept(row, None if k is None else int(k[number]), None if p is None else float(p[number]))
        exact = [value if place in places else float("-inf") for place, value in enumerate(row)]
        assert result[number].tolist() == exact


def test_opcheck() -> None:
    checked(NAME, ((torch.randn(3, 9), torch.rand(3), torch.tensor([1, 9, 4], dtype=torch.int32)), {}))


@pytest.mark.parametrize(
    ("k", "demand"),
    [
        (torch.tensor([0, 1, 1], dtype=torch.int32), r"k must lie in \[1, 9\]"),
        (torch.tensor([1, 1, 1]), "k is torch.int64"),
        (torch.tensor([1, 1], dtype=torch.int32), "one value a row"),
    ],
)
def test_what_is_documented(k: torch.Tensor, demand: str) -> None:
    with pytest.raises(ConstraintError, match=demand):
        run(NAME, torch.randn(3, 9), None, k)
