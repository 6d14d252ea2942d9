"""Every operator against its formula, written out in float64, over shapes and dtypes.

The formulas are those of the documentation, not the references: loops and definitions in place of the fused
expressions. A result may differ from the exact one by what its dtype resolves (``formulas.TOLERANCE``), inputs
being of that dtype. ``test_formulas_attention.py`` and ``test_formulas_moe.py`` have the larger families.
"""

from __future__ import annotations

import math

import pytest
import torch
from ascend_backend.ops import activation, gated_delta_rule, kv_cache, norm, rotary

from tests.backend.lane.formulas import close, dtypes

pytestmark = pytest.mark.usefixtures("seed")


@dtypes
@pytest.mark.parametrize("shape", [(1, 2), (5, 64), (2, 3, 34), (1, 2, 3, 4, 10)])
def test_swiglu(shape: tuple[int, ...], dtype: torch.dtype) -> None:
    x = torch.randn(shape).to(dtype)
    half = shape[-1] // 2
    a, b = x[..., :half].double(), x[..., half:].double()
    close(activation.swiglu(x), a / (1 + torch.exp(-a)) * b, dtype)


@dtypes
@pytest.mark.parametrize("shape", [(1, 1), (3, 128), (2, 5, 96), (4, 1, 2, 17)])
def test_rms_norm(shape: tuple[int, ...], dtype: torch.dtype) -> None:
    x, residual, weight = (torch.randn(s).to(dtype) for s in (shape, shape, shape[-1:]))

    def exact(wide: torch.Tensor) -> torch.Tensor:
        squares = sum(wide[..., i] ** 2 for i in range(shape[-1]))
        return weight.double() * wide / torch.sqrt(torch.as_tensor(squares) / shape[-1] + 1e-5)[..., None]

    close(norm.rms_norm(x, weight, 1e-5), exact(x.double()), dtype)
    y, total = norm.add_rms_norm(x, residual, weight, 1e-5)
    close(total, x.double() + residual.double(), dtype)
    # The sum that is normalised is the sum that is returned.
    close(y, exact(total.double()), dtype)


@dtypes
@pytest.mark.parametrize("neox", [True, False])
@pytest.mark.parametrize(("tokens", "heads", "size"), [(1, 1, 2), (7, 4, 32), (3, 16, 128)])
def test_rotation_is_that_of_complex_numbers(
    tokens: int, heads: int, size: int, neox: bool, dtype: torch.dtype
) -> None:
    x = torch.randn(tokens, heads, size).to(dtype)
    angles = torch.rand(tokens, size // 2) * 2 * math.pi
    repeat = (lambda t: t.repeat(1, 2)) if neox else (lambda t: t.repeat_interleave(2, 1))
    cos, sin = repeat(angles.cos()).to(dtype), repeat(angles.sin()).to(dtype)
    parts = x.double().view(tokens, heads, *((2, -1) if neox else (-1, 2)))
    real, imaginary = parts.unbind(2 if neox else 3)
    once = slice(0, size // 2) if neox else slice(0, size, 2)
    turn = torch.complex(cos.double()[:, once], sin.double()[:, once])[:, None]
    turned = torch.complex(real, imaginary) * turn
    pair = torch.stack((turned.real, turned.imag), 2 if neox else 3)
    close(rotary.rotary_mul(x, cos, sin, neox=neox), pair.reshape(x.shape), dtype)


@dtypes
@pytest.mark.parametrize("sizes", [(512, 64), (32, 16)])
def test_cached_tokens_are_read_in_order(sizes: tuple[int, int], dtype: torch.dtype) -> None:
    caches = [torch.randn(5, 128, 2, size).to(dtype) for size in sizes]
    table, lengths = torch.tensor([[4, 1], [0, 2], [3, 3]], dtype=torch.int32), [130, 128, 7]
    found = kv_cache.gather(*caches, table, torch.tensor(lengths, dtype=torch.int32), sum(lengths))
    places = [(row, token) for row, length in enumerate(lengths) for token in range(length)]
    for cache, tokens in zip(caches, found, strict=True):
        exact = torch.stack([cache[table[row, token // 128], token % 128] for row, token in places])
        assert torch.equal(tokens, exact)


@dtypes
@pytest.mark.parametrize("sizes", [(32, 32), (16, 48)])
@pytest.mark.parametrize("slot_dtype", [torch.int32, torch.int64])
def test_slots_are_written_and_no_others(
    sizes: tuple[int, int], slot_dtype: torch.dtype, dtype: torch.dtype
) -> None:
    tokens = [torch.randn(4, 3, size).to(dtype) for size in sizes]
    caches = [torch.full((3, 128, 3, size), 7.0).to(dtype) for size in sizes]
    slots = [383, 0, 129, 128]
    kv_cache.reshape_and_cache(*tokens, *caches, torch.tensor(slots, dtype=slot_dtype))
    for given, cache in zip(tokens, caches, strict=True):
        for token, slot in enumerate(slots):
            assert torch.equal(cache[slot // 128, slot % 128], given[token])
            cache[slot // 128, slot % 128] = 7.0
        assert (cache == 7.0).all()


def delta_rule(
    query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, strength: torch.Tensor, decay: torch.Tensor,
    state: torch.Tensor, scale: float,
) -> tuple[torch.Tensor, torch.Tensor]:  # fmt: skip
    """One head of one sequence in closed form: what each token adds is the solution of a triangular system."""
    total = decay.cumsum(0)
    between = (total[:, None] - total[None, :]).exp().tril()
    system = torch.eye(len(key)).double() + (strength[:, None] * between * (key @ key.T)).tril(-1)
    wanted = strength[:, None] * (value - total.exp()[:, None] * (key @ state.T))
    added = torch.linalg.solve_triangular(system, wanted, upper=False)
    output = (between * (query @ key.T)) @ added + total.exp()[:, None] * (query @ state.T)
    left = total[-1].exp() * state + (((total[-1] - total).exp()[:, None] * added).T @ key)
    return scale * output, left


# Documented for bfloat16 alone; float32 stands in for it.
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("lengths", [[1], [1, 1, 1], [5, 1, 70], [33, 64]])
@pytest.mark.parametrize(("heads", "shared"), [(1, 1), (2, 2), (1, 4)])
def test_gated_delta_rule(heads: int, shared: int, lengths: list[int], dtype: torch.dtype) -> None:
    tokens, size = sum(lengths), 128
    query, key = (
        torch.nn.functional.normalize(torch.randn(tokens, heads, size), dim=-1).to(dtype) for _ in range(2)
    )
    value, states = (
        torch.randn(shape).to(dtype)
        for shape in ((tokens, heads * shared, size), (len(lengths), heads * shared, size, size))
    )
    strength = torch.rand(tokens, heads * shared).to(dtype)
    decay = -torch.rand(tokens, heads * shared) * 0.1
    exact, left = torch.empty(value.shape).double(), torch.empty(states.shape).double()
    for head in range(heads * shared):
        start = 0
        for number, length in enumerate(lengths):
            part = slice(start, start + length)
            wide = [
                t[part].double() for t in (query[:, head // shared], key[:, head // shared], value[:, head])
            ]
            wide += [t[part, head].double() for t in (strength, decay)]
            exact[part, head], left[number, head] = delta_rule(*wide, states[number, head].double(), 0.3)  # type: ignore[arg-type]
            start += length
    rest = {"strength": strength, "decay": decay, "scale": 0.3}
    output, after = gated_delta_rule.sequences(
        query, key, value, states=states, lengths=torch.tensor(lengths, dtype=torch.int32), **rest
    )
    close(output, exact, dtype)
    close(after, left, dtype, scale=2)
    if max(lengths) == 1:
        close(gated_delta_rule.tokens(query, key, value, states=states, **rest), exact, dtype)
        close(states, left, dtype, scale=2)
