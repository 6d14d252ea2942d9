"""The operators before latent attention, token by token."""

from __future__ import annotations

import math

import pytest
import torch
from torch_npu_sim.constraints import ConstraintError

from tests.simulator.operators.running import Call, checked, close, dtypes, run

CACHE, ROPE, PRODUCT = "npu_kv_rmsnorm_rope_cache", "npu_interleave_rope", "npu_transpose_batchmatmul"


def turned(part: list[float], cos: list[float], sin: list[float]) -> list[float]:
    """Neighbours as complex numbers, turned; real parts first."""
    half = len(part) // 2
    pairs = [complex(part[2 * i], part[2 * i + 1]) * complex(cos[i], sin[i]) for i in range(half)]
    return [pair.real for pair in pairs] + [pair.imag for pair in pairs]


def phases(tokens: int, dtype: torch.dtype, size: int = 64) -> tuple[torch.Tensor, torch.Tensor]:
    angles = (torch.rand(tokens, size // 2) * 6).repeat(1, 2).view(tokens, 1, 1, size)
    return angles.cos().to(dtype), angles.sin().to(dtype)


@dtypes
def test_pairs_become_halves(dtype: torch.dtype) -> None:
    x, (cos, sin) = torch.randn(3, 4, 1, 64).to(dtype), phases(3, dtype)
    exact = [
        [
            turned(head.tolist(), cos[t, 0, 0].double().tolist(), sin[t, 0, 0].double().tolist())
            for head in x.double()[t, :, 0]
        ]
        for t in range(3)
    ]
    close(run(ROPE, x, cos, sin).squeeze(2), torch.tensor(exact, dtype=torch.float64), dtype, 2)


def call(mode: str, dtype: torch.dtype = torch.float32) -> Call:
    cos, sin = phases(4, dtype)
    shapes = [(3, 16, 1, size) if mode != "PA_BNSD" else (3, 1, 16, size) for size in (64, 32)]
    caches = [torch.full(shape, 7.0, dtype=dtype) for shape in shapes]
    slots = torch.tensor([17, -1, 0, 47])
    given = torch.randn(4, 1, 1, 96).to(dtype), torch.randn(32).to(dtype), cos, sin, slots, *caches
    return given, {"cache_mode": mode, "is_output_kv": True}


@dtypes
@pytest.mark.parametrize("mode", ["PA", "PA_BNSD", "PA_NZ"])
def test_both_parts_are_stored(mode: str, dtype: torch.dtype) -> None:
    arguments, keywords = call(mode, dtype)
    kv, gamma, cos, sin, slots, k_cache, ckv_cache = arguments
    found = run(CACHE, *arguments, **keywords)
    assert found[0] is k_cache
    assert found[1] is ckv_cache
    ropes, latents = [], []
    for token, row in enumerate(kv.double()[:, 0, 0].tolist()):
        mean = sum(value * value for value in row[:32]) / 32
        latents.append(
            [value / math.sqrt(mean + 1e-5) * g for value, g in zip(row[:32], gamma.tolist(), strict=True)]
        )
        ropes.append(turned(row[32:], cos[token, 0, 0].double().tolist(), sin[token, 0, 0].double().tolist()))
    for cache, result, exact in zip((k_cache, ckv_cache), found[2:], (ropes, latents), strict=True):
        wanted = torch.tensor(exact, dtype=torch.float64)
        close(result[:, 0, 0], wanted, dtype, 2)
        size = cache.shape[3]
        stored = cache.view(3, size // 16, 16, 16).transpose(1, 2) if mode == "PA_NZ" else cache
        rows = stored.reshape(48, size)
        for token, slot in enumerate(slots.tolist()):
            if slot >= 0:
                close(rows[slot], wanted[token], dtype, 2)
                rows[slot] = 7.0
        assert (rows == 7.0).all()


@dtypes
@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize("turned_weight", [False, True])
def test_product_of_each_batch(turned_weight: bool, swapped: bool, dtype: torch.dtype) -> None:
    x = torch.randn((5, 3, 16) if swapped else (3, 5, 16)).to(dtype)
    weight = torch.randn((3, 8, 16) if turned_weight else (3, 16, 8)).to(dtype)
    result = run(
        PRODUCT, x, weight, perm_x1=[1, 0, 2] if swapped else None, perm_x2=[0, 2, 1] if turned_weight else None,
        perm_y=[1, 0, 2],
    )  # fmt: skip
    names = "mbk" if swapped else "bmk", "bnk" if turned_weight else "bkn"
    close(result, torch.einsum(f"{','.join(names)}->mbn", x.double(), weight.double()), dtype, 4)


def test_opcheck_of_rope_and_product() -> None:
    checked(ROPE, ((torch.randn(3, 4, 1, 64), *phases(3, torch.float32)), {}))
    checked(PRODUCT, ((torch.randn(3, 5, 16), torch.randn(3, 16, 8)), {"perm_y": [1, 0, 2]}))


def test_opcheck_of_the_cache() -> None:
    # Its schema does not say that it writes its caches and returns them.
    checked(CACHE, call("PA"), without=("test_schema", "test_faketensor", "test_aot_dispatch_dynamic"))


@pytest.mark.parametrize(
    ("place", "value", "demand"),
    [
        (0, torch.randn(4, 1, 1, 95), "kv must be as wide as gamma and cos, 32 [+] 64, got 95"),
        (4, torch.tensor([1, 2, 3, 48]), r"index must lie in \[-1, 47\]"),
        (4, torch.zeros(4, dtype=torch.int32), "index is torch.int32"),
        (5, torch.zeros(3, 16, 1, 32), "as wide as cos and gamma"),
    ],
)
def test_what_is_demanded(place: int, value: object, demand: str) -> None:
    arguments, keywords = call("PA")
    given = [value if number == place else argument for number, argument in enumerate(arguments)]
    with pytest.raises(ConstraintError, match=demand):
        run(CACHE, *given, **keywords)


def test_a_permutation_that_the_operator_has_not() -> None:
    with pytest.raises(ConstraintError, match=r"perm_y must be \[1, 0, 2\], got \[0, 1, 2\]"):
        run(PRODUCT, torch.randn(3, 5, 16), torch.randn(3, 16, 8), perm_y=[0, 1, 2])
