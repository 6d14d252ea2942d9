"""Routing and experts against their formulas: see ``test_formulas.py``."""

from __future__ import annotations

import math

import pytest
import torch
from ascend_backend.ops import moe

from tests.backend.lane.formulas import close, dtypes

pytestmark = pytest.mark.usefixtures("seed")


def routed(
    logits: list[float], bias: list[float] | None, top_k: int, groups: int, top_groups: int,
    *, sigmoid: bool, renormalise: bool,
) -> tuple[list[int], list[float]]:  # fmt: skip
    """The experts of one token, best first, and their weights.

    With a bias, which ranks and does not weigh, a group is worth its two best experts; without, its best.
    """
    powers = [math.exp(value) for value in logits]
    scores = [p / (1 + p) if sigmoid else p / math.fsum(powers) for p in powers]
    ranked = scores if bias is None else [s + b for s, b in zip(scores, bias, strict=True)]
    size = len(logits) // groups
    counted = 1 if bias is None else 2
    worth = [sum(sorted(ranked[g * size : (g + 1) * size])[-counted:]) for g in range(groups)]
    opened = sorted(range(groups), key=lambda g: -worth[g])[:top_groups]
    inside = [e for e in range(len(logits)) if e // size in opened]
    best = sorted(inside, key=lambda e: -ranked[e])[:top_k]
    total = math.fsum(scores[e] for e in best) if renormalise else 1.0
    return best, [scores[e] / total for e in best]


ROUTINGS = [(3, 1, 1, 1), (8, 2, 1, 1), (60, 8, 1, 1), (32, 2, 2, 1), (32, 4, 4, 2), (48, 6, 8, 4)]


@dtypes
@pytest.mark.parametrize(("experts", "top_k", "groups", "top_groups"), ROUTINGS)
@pytest.mark.parametrize("biased", [False, True])
@pytest.mark.parametrize(
    ("sigmoid", "renormalise"),
    [(False, True), (False, False), (True, True)],
    ids=["softmax", "plain", "sigmoid"],
)
def test_routing(
    experts: int, top_k: int, groups: int, top_groups: int, biased: bool, sigmoid: bool, renormalise: bool,
    dtype: torch.dtype,
) -> None:  # fmt: skip
    # Eighths, which every dtype has exactly, none twice in a row: which experts are chosen is never a tie.
    logits = torch.stack([(torch.randperm(experts) - experts // 2) / 8 for _ in range(17)]).to(dtype)
    bias = torch.randn(experts) / 4 if biased else None
    weights, chosen = moe.gate(
        logits,
        top_k,
        sigmoid=sigmoid,
        renormalise=renormalise,
        bias=bias,
        groups=groups,
        top_groups=top_groups,
        scaling=2.5,
    )
    assert chosen.dtype == torch.int32
    kind = {"sigmoid": sigmoid, "renormalise": renormalise}
    ranks = None if bias is None else bias.tolist()
    for token, values in enumerate(logits.tolist()):
        best, shares = routed(values, ranks, top_k, groups, top_groups, **kind)
        assert chosen[token].tolist() == best
        close(weights[token], 2.5 * torch.tensor(shares), torch.float32)


def test_groups_and_bias_change_what_is_chosen() -> None:
    """The parameters of ``test_routing`` are told apart by its formula."""
    values, bias = [3.0, 0.0, 0.1, 1.0, 2.0, 2.5], [-1.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    plain = {"sigmoid": False, "renormalise": False}
    assert routed(values, None, 2, 1, 1, **plain)[0] == [0, 5]
    assert routed(values, None, 2, 2, 1, **plain)[0] == [0, 2]
    assert routed(values, bias, 2, 2, 1, **plain)[0] == [5, 4]
    assert sum(routed(values, None, 2, 1, 1, **plain)[1]) < 0.9


def test_sigmoid_routing_without_renormalisation_is_refused() -> None:
    rest = {"bias": None, "groups": 1, "top_groups": 1, "scaling": 1.0}
    with pytest.raises(NotImplementedError, match="sigmoid routing without renormalisation"):
        moe.gate(torch.zeros(1, 4), 2, sigmoid=True, renormalise=False, **rest)  # type: ignore[arg-type]


@dtypes
@pytest.mark.parametrize(("tokens", "experts", "top_k"), [(1, 3, 1), (9, 6, 2), (5, 16, 4)])
def test_experts(tokens: int, experts: int, top_k: int, dtype: torch.dtype) -> None:
    x = torch.randn(tokens, 24).to(dtype)
    gate_up = (torch.randn(experts, 40, 24) / 5).to(dtype)
    down = (torch.randn(experts, 24, 20) / 5).to(dtype)
    chosen = torch.stack([torch.randperm(experts)[:top_k] for _ in range(tokens)]).int()
    weights = torch.rand(tokens, top_k)
    exact = torch.zeros(tokens, 24, dtype=torch.float64)
    for token in range(tokens):
        for weight, expert in zip(weights[token], chosen[token], strict=True):
            hidden = gate_up[expert].double() @ x[token].double()
            gate, up = hidden[:20], hidden[20:]
            exact[token] += weight.double() * (down[expert].double() @ (gate * gate.sigmoid() * up))
    # Four operators in a row round their results.
    close(moe.swiglu_experts(x, weights, chosen, gate_up, down), exact, dtype, scale=4)


def test_what_two_ranks_have_of_the_experts_adds_up() -> None:
    x, gate_up, down = torch.randn(9, 24), torch.randn(5, 40, 24) / 5, torch.randn(5, 24, 20) / 5
    weights = torch.rand(9, 2)
    chosen = torch.stack([torch.randperm(5)[:2] for _ in range(9)]).int()
    whole = moe.swiglu_experts(x, weights, chosen, gate_up, down)
    maps = (
        torch.tensor([0, -1, 1, -1, 2], dtype=torch.int32),
        torch.tensor([-1, 0, -1, 1, -1], dtype=torch.int32),
    )
    parts = []
    for local in maps:
        mine = (local >= 0).nonzero().flatten()
        parts.append(moe.swiglu_experts(x, weights, chosen, gate_up[mine], down[mine], local))
    torch.testing.assert_close(sum(parts), whole)
    assert not torch.equal(parts[0], whole)
    # A rank none of whose experts is chosen adds nothing.
    nobody = moe.swiglu_experts(x, weights, torch.zeros_like(chosen), gate_up[[1, 3]], down[[1, 3]], maps[1])
    assert not nobody.any()


@pytest.mark.parametrize("most", [moe._FEW_ROWS, 3])
def test_the_groups_of_a_rank_take_every_row_that_the_operator_gets(
    most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(moe, "_FEW_ROWS", most)
    seen: list[tuple[int, int]] = []
    grouped = moe._grouped_matmul

    def noted(x: torch.Tensor, weight: torch.Tensor, tokens: torch.Tensor, scale: object) -> torch.Tensor:
        seen.append((len(x), int(tokens.sum())))
        return grouped(x, weight, tokens, None)

    monkeypatch.setattr(moe, "_grouped_matmul", noted)
    x, gate_up, down = torch.randn(9, 24), torch.randn(2, 40, 24) / 5, torch.randn(2, 24, 20) / 5
    local = torch.tensor([0, -1, 1, -1], dtype=torch.int32)
    chosen = torch.stack([torch.randperm(4)[:2] for _ in range(9)]).int()
    for each in (chosen, torch.ones_like(chosen)):
        moe.swiglu_experts(x, torch.rand(9, 2), each, gate_up, down, local)
    assert all(rows == taken for rows, taken in seen)
    here = int((local[chosen.long()] >= 0).sum())
    assert [rows for rows, _ in seen] == ([18] * 4 if most > 18 else [here, here, 1, 1])
