"""Experts of tokens, chosen one by one."""

from __future__ import annotations

import math

import pytest
import torch
from torch_npu_sim.constraints import ConstraintError

from tests.simulator.operators.running import checked, close, dtypes, run

OWN, SOFTMAX = "_C_ascend::moe_gating_top_k", "npu_moe_gating_top_k_softmax"


def scores(row: list[float], sigmoid: bool) -> list[float]:
    if sigmoid:
        return [1 / (1 + math.exp(-value)) for value in row]
    total = sum(math.exp(value) for value in row)
    return [math.exp(value) / total for value in row]


def chosen(ranked: list[float], k: int, groups: int, kept: int, of_two: bool) -> list[int]:
    """The best of the best groups, which are ranked by their best or by their two best."""
    size = len(ranked) // groups
    parts = [ranked[i * size : (i + 1) * size] for i in range(groups)]
    best = sorted(range(groups), key=lambda g: -sum(sorted(parts[g], reverse=True)[: 2 if of_two else 1]))[
        :kept
    ]
    inside = [i for g in best for i in range(g * size, (g + 1) * size)]
    return sorted(inside, key=lambda i: -ranked[i])[:k]


@dtypes
@pytest.mark.parametrize("sigmoid", [False, True])
@pytest.mark.parametrize("renorm", [0, 1])
@pytest.mark.parametrize(("groups", "kept", "of_two"), [(1, 1, False), (4, 2, False), (4, 2, True)])
@pytest.mark.parametrize("biased", [False, True])
def test_own_gate(
    biased: bool, groups: int, kept: int, of_two: bool, renorm: int, sigmoid: bool, dtype: torch.dtype
) -> None:
    # Logits and biases lie so far apart that no dtype changes their order.
    logits = torch.stack([torch.randperm(16) * 0.25 - 2 for _ in range(5)]).to(dtype)
    bias = (torch.randperm(16) * 0.5).to(dtype) if biased else None
    weights, experts, _ = run(
        OWN, logits, 3, kept, groups, int(of_two), renorm, int(sigmoid), False, 1.5, 1e-20, bias
    )
    assert experts.dtype == torch.int32
    for row, found, result in zip(logits.tolist(), experts.tolist(), weights, strict=True):
        plain = scores(row, sigmoid)
        ranked = plain if bias is None else [a + b for a, b in zip(plain, bias.tolist(), strict=True)]
        wanted = chosen(ranked, 3, groups, kept, of_two)
        assert found == wanted
        exact = torch.tensor([plain[i] for i in wanted], dtype=torch.float64)
        if sigmoid or renorm:
            exact /= exact.sum()
        close(result, exact * 1.5, dtype)


@dtypes
def test_softmax_gate(dtype: torch.dtype) -> None:
    logits = torch.stack([torch.randperm(8) * 0.5 for _ in range(4)]).to(dtype)
    finished = torch.tensor([False, True, False, False])
    weights, experts, places = run(SOFTMAX, logits, finished, 2)
    for number, row in enumerate(logits.tolist()):
        plain = scores(row, sigmoid=False)
        order = sorted(range(8), key=lambda i: -plain[i])[:2]
        assert experts[number].tolist() == ([8, 8] if finished[number] else order)
        close(weights[number], torch.tensor([plain[i] for i in order], dtype=torch.float64), dtype)
    assert places.tolist() == [[0, 4], [1, 5], [2, 6], [3, 7]]


def test_opcheck() -> None:
    checked(OWN, ((torch.randn(3, 8), 2, 1, 1, 0, 1, 0, False, 1.0, 1e-20), {}))
    checked(SOFTMAX, ((torch.randn(3, 8), None, 2), {}))


@pytest.mark.parametrize(
    ("name", "arguments", "demand"),
    [
        (OWN, (torch.randn(3, 8), 2, 1, 1, 0, 2, 0, False, 1.0, 1e-20), "renorm must be 0 or 1, got 2"),
        (OWN, (torch.randn(3, 8), 2, 1, 1, 0, 0, 2, False, 1.0, 1e-20), "norm_type must be 0 or 1"),
        (
            OWN,
            (torch.randn(3, 8), 2, 1, 1, 0, 0, 0, False, 1.0, 1e-20, torch.randn(7)),
            "one value an expert",
        ),
        (SOFTMAX, (torch.randn(3, 8), None, 9), r"k must lie in \[1, 8\], got 9"),
        (SOFTMAX, (torch.randn(3, 8), torch.zeros(2, dtype=torch.bool), 1), "one value a row"),
    ],
)
def test_what_is_demanded(name: str, arguments: tuple[object, ...], demand: str) -> None:
    with pytest.raises(ConstraintError, match=demand):
        run(name, *arguments)
