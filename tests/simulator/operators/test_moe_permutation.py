"""Tokens in the order of experts and back, one by one."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch_npu_sim.constraints import ConstraintError
from torch_npu_sim.settings import variable

from tests.simulator.operators.running import Call, checked, close, dtypes, run

ROUTE, PERMUTE, FINALIZE = "npu_moe_init_routing_v2", "npu_moe_token_permute", "npu_moe_finalize_routing"
UNPERMUTE = "npu_moe_token_unpermute"
EXPERTS = [[2, 0], [1, 3], [0, 2], [3, 0]]


def route(x: torch.Tensor, **keywords: Any) -> tuple[torch.Tensor, ...]:
    given = {"expert_num": 4, "expert_tokens_num_type": 1, "expert_tokens_num_flag": True}
    found: tuple[torch.Tensor, ...] = run(
        ROUTE, x, torch.tensor(EXPERTS, dtype=torch.int32), **given | keywords
    )
    return found


def sorted_choices(first: int, last: int) -> list[tuple[int, int]]:
    """(expert, number of the choice) of the active experts' choices, in order."""
    every = [expert for row in EXPERTS for expert in row]
    return sorted((expert, number) for number, expert in enumerate(every) if first <= expert < last)


@pytest.mark.parametrize(("first", "last"), [(0, 4), (1, 3)])
@pytest.mark.parametrize("gathers", [True, False])
@pytest.mark.parametrize("kind", ["sums", "counts", "pairs"])
def test_routes(kind: str, gathers: bool, first: int, last: int) -> None:
    x = torch.randn(4, 6)
    types = {"sums": 0, "counts": 1, "pairs": 2}
    more = {
        "expert_tokens_num_type": types[kind],
        "active_expert_range": [first, last],
        "row_idx_type": int(not gathers),
    }
    rows, places, counts, _ = route(x, **more)
    order = sorted_choices(first, last)
    for row, (_, number) in zip(rows, order, strict=False):
        assert torch.equal(row, x[number // 2])
    went = {number: place for place, (_, number) in enumerate(order)}
    came = [number for _, number in order] + [-1] * (8 - len(order))
    assert places.tolist() == ([went.get(number, -1) for number in range(8)] if gathers else came)
    each = [sum(expert == e for expert, _ in order) for e in range(first, last)]
    wanted = {
        "counts": each,
        "sums": [sum(each[: i + 1]) for i in range(len(each))],
        "pairs": [[first + i, n] for i, n in enumerate(each)],
    }
    assert counts.tolist() == wanted[kind]


@pytest.mark.parametrize("smooth", [None, "one", "each"])
def test_rows_are_quantised_on_the_way(smooth: str | None) -> None:
    x = torch.randn(4, 6)
    factors = {None: None, "one": torch.rand(1, 6), "each": torch.rand(4, 6)}[smooth]
    rows, _, _, scales = route(x, quant_mode=1, scale=factors)
    assert rows.dtype == torch.int8
    for row, scale, (expert, number) in zip(rows, scales, sorted_choices(0, 4), strict=True):
        wide = x[number // 2]
        if factors is not None:
            wide = wide * factors[expert if smooth == "each" else 0]
        assert scale.item() == pytest.approx(wide.abs().max().item() / 127, rel=1e-5)
        assert ((row * scale - wide).abs() <= scale * 0.51).all()


def test_rows_are_quantised_by_one_scale() -> None:
    x = torch.randn(4, 6)
    rows, *_ = route(x, quant_mode=0, scale=torch.tensor([20.0]), offset=torch.tensor([3.0]))
    for row, (_, number) in zip(rows, sorted_choices(0, 4), strict=True):
        assert ((row - (x[number // 2] * 20 + 3)).abs() <= 0.51).all()


def test_the_scales_of_integers_go_with_their_rows() -> None:
    x, scale = torch.randint(-9, 9, (4, 6), dtype=torch.int8), torch.rand(4)
    rows, _, _, scales = route(x, scale=scale)
    for row, found, (_, number) in zip(rows, scales, sorted_choices(0, 4), strict=True):
        assert torch.equal(row, x[number // 2])
        assert found == scale[number // 2]


@dtypes
@pytest.mark.parametrize("count", [None, 5, -2])
@pytest.mark.parametrize("index_dtype", [torch.int32, torch.int64])
def test_permuted_and_brought_back(index_dtype: torch.dtype, count: int | None, dtype: torch.dtype) -> None:
    x = torch.randn(4, 6).to(dtype)
    rows, places = run(PERMUTE, x, torch.tensor(EXPERTS, dtype=index_dtype), count)
    order = sorted_choices(0, 4)
    left = {None: 8, 5: 5, -2: 6}[count]
    assert len(rows) == left
    for place, (_, number) in enumerate(order):
        assert places[number] == place
        if place < left:
            assert torch.equal(rows[place], x[number // 2])
    if count is None:
        close(run(UNPERMUTE, rows, places, torch.full((4, 2), 0.5).to(dtype)), x.double(), dtype)


def test_an_index_may_repeat_unless_strict(monkeypatch: pytest.MonkeyPatch) -> None:
    rows, places = torch.randn(4, 6), torch.tensor([3, 1, 1, 0], dtype=torch.int32)
    probs = torch.tensor([[0.25, 0.0], [0.0, 2.0]])
    torch.testing.assert_close(run(UNPERMUTE, rows, places, probs), torch.stack([rows[3] / 4, rows[0] * 2]))
    monkeypatch.setenv(variable("strict"), "1")
    with pytest.raises(ConstraintError, match="sorted_indices must not repeat"):
        run(UNPERMUTE, rows, places, probs)


@dtypes
@pytest.mark.parametrize("weighted", [False, True])
def test_finalized(weighted: bool, dtype: torch.dtype) -> None:
    rows, bias = torch.randn(8, 6).to(dtype), torch.randn(4, 6).to(dtype)
    skips, scales = torch.randn(2, 4, 6).to(dtype), torch.rand(4, 2).to(dtype)
    places, experts = torch.randperm(8).int(), torch.tensor(EXPERTS, dtype=torch.int32)
    result = run(
        FINALIZE,
        rows,
        *skips,
        bias,
        scales if weighted else None,
        places,
        experts,
        0,
        *([] if weighted else [2]),
    )
    exact = skips.double().sum(0)
    for token in range(4):
        for choice in range(2):
            part = rows[places[token + choice * 4]].double() + bias[EXPERTS[token][choice]].double()
            exact[token] += part * (scales[token, choice].double() if weighted else 1)
    close(result, exact, dtype, 4)


def samples() -> list[tuple[str, Call]]:
    x, indices = torch.randn(4, 6), torch.tensor(EXPERTS, dtype=torch.int32)
    routing = {"expert_num": 4, "expert_tokens_num_type": 1, "expert_tokens_num_flag": True}
    back = torch.randn(8, 6), None, None, None, torch.rand(4, 2), torch.randperm(8).int(), None
    return [
        (ROUTE, ((x, indices), routing | {"quant_mode": 1})),
        (ROUTE, ((x, indices), routing | {"expert_tokens_num_type": 2})),
        (PERMUTE, ((x, indices), {})),
        (FINALIZE, (back, {})),
    ]


@pytest.mark.parametrize(("name", "call"), samples())
def test_opcheck(name: str, call: Call) -> None:
    checked(name, call)


@pytest.mark.parametrize(
    ("change", "demand"),
    [
        ({"quant_mode": 0}, "quant_mode 0 demands one scale"),
        ({"scale": torch.rand(3)}, "scale must be one of"),
        ({"expert_tokens_num_type": 3}, "expert_tokens_num_type must be 0, 1 or 2"),
        ({"drop_pad_mode": 1}, "drop_pad_mode must be 0"),
        ({"expert_num": 3}, "expert_idx must lie in"),
    ],
)
def test_what_routing_demands(change: dict[str, Any], demand: str) -> None:
    with pytest.raises(ConstraintError, match=demand):
        route(torch.randn(4, 6), **change)


def test_other_quantisation_is_named() -> None:
    with pytest.raises(NotImplementedError, match="npu_moe_init_routing_v2 does not support quant_mode 3"):
        route(torch.randn(4, 6), quant_mode=3)
