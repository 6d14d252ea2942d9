"""The paged cache: slots are written and no others, in every layout; what is tolerated, and what is not."""

from __future__ import annotations

import pytest
import torch
from torch_npu_sim.constraints import ConstraintError
from torch_npu_sim.settings import variable

from tests.simulator.operators.running import Call, checked, run

SCATTER, ATB, OWN = "npu_scatter_pa_kv_cache", "_npu_reshape_and_cache", "_C_ascend::npu_scatter_pa_kv_cache"
BLOCKS, SIZE, HEADS, WIDTH = 3, 8, 2, 16


def tokens(count: int = 4) -> list[torch.Tensor]:
    return [torch.randn(count, HEADS, WIDTH) for _ in range(2)]


def caches(layout: str) -> list[torch.Tensor]:
    shapes = {
        "rows": (BLOCKS, SIZE, HEADS, WIDTH),
        "heads first": (BLOCKS, HEADS, SIZE, WIDTH),
        "parts": (BLOCKS, HEADS * WIDTH // 16, SIZE, 16),
    }
    if layout == "halves of a page":
        page = torch.full((BLOCKS, 2, SIZE, HEADS, WIDTH), 7.0)
        return [page[:, 0], page[:, 1]]
    return [torch.full(shapes[layout], 7.0) for _ in range(2)]


def place(cache: torch.Tensor, layout: str, slot: int) -> torch.Tensor:
    """The heads of a slot, a view of the cache."""
    block, at = divmod(slot, SIZE)
    return cache[block, :, at] if layout in ("heads first", "parts") else cache[block, at]


@pytest.mark.parametrize(
    ("name", "layout", "keywords"),
    [
        (SCATTER, "rows", {"cache_mode": "Norm"}),
        (SCATTER, "halves of a page", {"cache_mode": "Norm"}),
        (SCATTER, "parts", {}),
        (ATB, "rows", {}),
        (OWN, "rows", {}),
        (OWN, "heads first", {"scatter_mode": "NHSD"}),
    ],
)
def test_slots_are_written_and_no_others(name: str, layout: str, keywords: dict[str, str]) -> None:
    given, stored, slots = tokens(), caches(layout), [17, -1, 0, 23]
    assert run(name, *given, *stored, torch.tensor(slots, dtype=torch.int32), **keywords) is None
    for content, cache in zip(given, stored, strict=True):
        for token, slot in enumerate(slots):
            if slot >= 0:
                found = place(cache, layout, slot)
                assert torch.equal(found.reshape(content[token].shape), content[token])
                found.fill_(7.0)
        assert (cache == 7.0).all()


@pytest.mark.parametrize(
    ("layout", "slots", "demand"),
    [("halves of a page", [1, 2], "key_cache must be contiguous"), ("rows", [1, -1], "slots must lie in")],
)
def test_what_is_tolerated_is_refused_when_strict(
    layout: str, slots: list[int], demand: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = *tokens(2), *caches(layout), torch.tensor(slots)
    run(SCATTER, *arguments, cache_mode="Norm")
    monkeypatch.setenv(variable("strict"), "1")
    with pytest.raises(ConstraintError, match=demand):
        run(SCATTER, *arguments, cache_mode="Norm")


@pytest.mark.parametrize(
    ("slots", "demand"),
    [([3, -2], "slots must lie in"), ([3, 24], "slots must lie in"), ([3, 3], "must not repeat")],
)
def test_what_is_never_tolerated(slots: list[int], demand: str) -> None:
    with pytest.raises(ConstraintError, match=demand):
        run(SCATTER, *tokens(2), *caches("rows"), torch.tensor(slots), cache_mode="Norm")


def samples() -> list[tuple[str, Call]]:
    slots = torch.tensor([5, 23, 9, 0])
    return [
        (SCATTER, ((*tokens(), *caches("rows"), slots), {"cache_mode": "Norm"})),
        (SCATTER, ((*tokens(), *caches("parts"), slots), {})),
        (ATB, ((*tokens(), *caches("rows"), slots), {})),
        (OWN, ((*tokens(), *caches("heads first"), slots), {"scatter_mode": "NHSD"})),
    ]


@pytest.mark.parametrize(("name", "call"), samples())
def test_opcheck(name: str, call: Call) -> None:
    checked(name, call)


@pytest.mark.parametrize(
    ("name", "layout", "keywords", "demand"),
    [
        (SCATTER, "heads first", {"cache_mode": "Norm"}, r"must be \[blocks, block_size, heads, size\]"),
        (SCATTER, "rows", {}, "a cache in NZ format must be"),
        (OWN, "rows", {"scatter_mode": "Other"}, "scatter_mode must be"),
    ],
)
def test_layouts_are_told_apart(name: str, layout: str, keywords: dict[str, str], demand: str) -> None:
    with pytest.raises(ConstraintError, match=demand):
        run(name, *tokens(2), *caches(layout), torch.tensor([0, 1]), **keywords)
