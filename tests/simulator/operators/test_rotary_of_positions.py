"""Rotary embedding against complex numbers, pair by pair."""

from __future__ import annotations

import cmath

import pytest
import torch
from torch_npu_sim.constraints import ConstraintError

from tests.simulator.operators.running import Call, checked, close, dtypes, run


def angles(length: int, places: int, dtype: torch.dtype) -> torch.Tensor:
    """A cache of cosines and sines ([positions, 2 * places])."""
    phases = torch.rand(length, places) * 6
    return torch.cat((phases.cos(), phases.sin()), -1).to(dtype)


def turned(head: list[float], cos: list[float], sin: list[float], neighbours: bool) -> list[float]:
    """One head, its first pairs turned."""
    found, width = list(head), 2 * len(cos)
    for place, (c, s) in enumerate(zip(cos, sin, strict=True)):
        first, second = (2 * place, 2 * place + 1) if neighbours else (place, place + width // 2)
        product = complex(head[first], head[second]) * complex(c, s)
        found[first], found[second] = product.real, product.imag
    return found


def exact(
    x: torch.Tensor, chosen: list[tuple[list[float], list[float]]], size: int, neighbours: bool
) -> torch.Tensor:
    rows = [
        [number for head in row.view(-1, size).tolist() for number in turned(head, cos, sin, neighbours)]
        for row, (cos, sin) in zip(x.double(), chosen, strict=True)
    ]
    return torch.tensor(rows, dtype=torch.float64)


def of_positions(cache: torch.Tensor, positions: list[int]) -> list[tuple[list[float], list[float]]]:
    cos, sin = cache.double().chunk(2, -1)
    return [(cos[p].tolist(), sin[p].tolist()) for p in positions]


@dtypes
@pytest.mark.parametrize("mode", ["half", "interleave"])
@pytest.mark.parametrize("width", [32, 64])
def test_positions(width: int, mode: str, dtype: torch.dtype) -> None:
    positions, cache = [5, 0, 9], angles(10, width // 2, dtype)
    query, key = torch.randn(3, 4 * 64).to(dtype), torch.randn(3, 64).to(dtype)
    found = run("npu_mrope", torch.tensor(positions), query, key, cache, 64, rotary_mode=mode)
    in_place = query.clone(), key.clone()
    run("_npu_rotary_embedding", torch.tensor(positions), *in_place, 64, cache, mode == "half")
    for given, result, other in zip((query, key), found, in_place, strict=True):
        wanted = exact(given, of_positions(cache, positions), 64, mode == "interleave")
        close(result, wanted, dtype, 2)
        close(other, wanted, dtype, 2)


@pytest.mark.parametrize("cache_mode", ["default", "interleave"])
def test_three_positions(cache_mode: str) -> None:
    sections, cache = [6, 5, 5], angles(20, 16, torch.float32)
    positions = torch.tensor([[3, 4], [7, 8], [11, 19]])
    query, key = torch.randn(2, 64), torch.randn(2, 32)
    found = run("npu_mrope", positions, query, key, cache, 32, mrope_section=sections, cache_mode=cache_mode)
    # Which of the three each place takes: in blocks, or in turn as long as a section lasts.
    if cache_mode == "default":
        axes = [axis for axis, count in enumerate(sections) for _ in range(count)]
    else:
        axes = [place % 3 if place < 3 * sections[place % 3] else 0 for place in range(16)]
    cos, sin = cache.double().chunk(2, -1)
    chosen = [
        tuple(
            [float(part[positions[axis, token], place]) for place, axis in enumerate(axes)]
            for part in (cos, sin)
        )
        for token in range(2)
    ]
    for given, result in zip((query, key), found, strict=True):
        close(result, exact(given, chosen, 32, False), torch.float32)  # type: ignore[arg-type]


@dtypes
def test_in_place_by_layout(dtype: torch.dtype) -> None:
    query, key = torch.randn(1, 3, 4, 128).to(dtype), torch.randn(1, 3, 2, 128).to(dtype)
    phases = torch.rand(3, 32) * 6
    cos, sin = (part.repeat(1, 2).view(1, 3, 1, 64).to(dtype) for part in (phases.cos(), phases.sin()))
    before = query.clone(), key.clone()
    found = run("npu_apply_rotary_pos_emb", query, key, cos, sin)
    assert found[0] is query
    assert found[1] is key
    chosen = [(cos[0, t, 0, :32].double().tolist(), sin[0, t, 0, :32].double().tolist()) for t in range(3)]
    for was, now in zip(before, (query, key), strict=True):
        close(now.flatten(2)[0], exact(was.flatten(2)[0], chosen, 128, False), dtype, 2)


@dtypes
@pytest.mark.parametrize("back", [False, True])
def test_a_slice_is_turned_and_turned_back(back: bool, dtype: torch.dtype) -> None:
    x, phases = torch.randn(3, 1, 2, 24).to(dtype), torch.rand(3, 4) * 6
    cos, sin = (part.repeat_interleave(2, 1).view(3, 1, 1, 8) for part in (phases.cos(), phases.sin()))
    wanted = x.double()
    for token in range(3):
        for head in range(2):
            for pair in range(4):
                first = 12 + 2 * pair
                turn = cmath.exp(1j * float(phases[token, pair]) * (-1 if back else 1))
                product = complex(wanted[token, 0, head, first], wanted[token, 0, head, first + 1]) * turn
                wanted[token, 0, head, first : first + 2] = torch.tensor([product.real, product.imag])
    assert run(PARTIAL, x, cos, sin, "interleave", [12, 20], back) is None
    close(x, wanted, dtype, 2)


PARTIAL = "_C_ascend::inplace_partial_rotary_mul"


def samples() -> dict[str, Call]:
    cache, positions = angles(10, 16, torch.float32), torch.tensor([4, 0, 9])
    pair = torch.randn(3, 128), torch.randn(3, 64)
    heads = (
        torch.randn(1, 3, 4, 64),
        torch.randn(1, 3, 2, 64),
        torch.randn(1, 3, 1, 64),
        torch.randn(1, 3, 1, 64),
    )
    return {
        "npu_mrope": ((positions, *pair, cache, 32), {}),
        "_npu_rotary_embedding": ((positions, *pair, 32, cache, True), {}),
        "npu_apply_rotary_pos_emb": (heads, {}),
        PARTIAL: (
            (torch.randn(3, 1, 2, 8), torch.randn(3, 1, 1, 4), torch.randn(3, 1, 1, 4), "interleave", [4, 8]),
            {},
        ),
    }


@pytest.mark.parametrize("name", samples())
def test_opcheck(name: str) -> None:
    # Documented to write in place, which its schema does not say.
    unsaid = (
        ("test_schema", "test_faketensor", "test_aot_dispatch_dynamic")
        if name == "npu_apply_rotary_pos_emb"
        else ()
    )
    checked(name, samples()[name], without=unsaid)


@pytest.mark.parametrize(
    ("name", "place", "value", "demand"),
    [
        ("npu_mrope", 0, torch.tensor([4, 0, 10]), r"positions must lie in \[0, 9\]"),
        ("npu_mrope", 3, torch.randn(10, 24), "rotary_dim 24 is not supported"),
        ("npu_mrope", 4, 24, "rotary_dim 32 is not supported"),
        ("_npu_rotary_embedding", 0, torch.tensor([4, 0]), "as many tokens as positions"),
        ("npu_apply_rotary_pos_emb", 2, torch.randn(1, 3, 2, 64), "N being 1"),
        ("npu_apply_rotary_pos_emb", 0, torch.randn(1, 3, 4, 32), "D must be 64 or 128"),
        (PARTIAL, 4, [4, 9], "must lie within x"),
        (PARTIAL, 3, "half", "rotary_mode must be 'interleave'"),
    ],
)
def test_what_is_demanded(name: str, place: int, value: object, demand: str) -> None:
    arguments, keywords = samples()[name]
    given = [value if number == place else argument for number, argument in enumerate(arguments)]
    with pytest.raises(ConstraintError, match=demand):
        run(name, *given, **keywords)


def test_another_name_of_a_mode_is_refused() -> None:
    arguments, _ = samples()["npu_mrope"]
    with pytest.raises(
        ConstraintError, match="rotary_mode must be 'half' or 'interleave', got 'interleaved'"
    ):
        run("npu_mrope", *arguments, rotary_mode="interleaved")
