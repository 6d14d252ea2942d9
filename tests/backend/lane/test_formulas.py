"""Every operator against its formula, written out in float64, over shapes and dtypes.

The formulas are those of the documentation, not the references: loops and definitions in place of the fused
expressions. A result may differ from the exact one by what its dtype resolves (``TOLERANCE``, relative and
absolute), inputs being of that dtype.
"""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
import torch
from ascend_backend.ops import activation, attention, gated_delta_rule, kv_cache, moe, norm, rotary

DTYPES = [torch.float32, torch.float16, torch.bfloat16]
TOLERANCE = {torch.float32: 2e-5, torch.float16: 4e-3, torch.bfloat16: 3e-2}

dtypes = pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: str(dtype).removeprefix("torch."))


@pytest.fixture(autouse=True)
def seed() -> None:
    torch.manual_seed(0)


def close(result: torch.Tensor, exact: torch.Tensor, dtype: torch.dtype, scale: float = 1.0) -> None:
    assert result.dtype == dtype
    bound = TOLERANCE[dtype] * scale
    torch.testing.assert_close(result.double(), exact.double(), rtol=bound, atol=bound)


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


def attended(
    query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, scale: float, causal: bool
) -> torch.Tensor:
    """Attention token by token and head by head; the last query sees all keys."""
    query, key, value = query.double(), key.double(), value.double()
    output = torch.zeros(*query.shape[:2], value.shape[-1], dtype=torch.float64)
    group = query.shape[1] // key.shape[1]
    for token in range(len(query)):
        seen = len(key) - len(query) + token + 1 if causal else len(key)
        for head in range(query.shape[1]):
            scores = key[:seen, head // group] @ query[token, head] * scale
            output[token, head] = scores.softmax(0) @ value[:seen, head // group]
    return output


@dtypes
@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize(
    ("heads", "kv_heads", "size", "block_size"),
    [(1, 1, 16, 128), (4, 2, 64, 128), (8, 1, 32, 256), (3, 3, 128, 512)],
)
def test_paged_attention(
    heads: int, kv_heads: int, size: int, block_size: int, causal: bool, dtype: torch.dtype
) -> None:
    contexts, tokens = [block_size + 3, 9, 1], [2, 9, 1]
    blocks = 5
    caches = [torch.randn(blocks, block_size, kv_heads, size).to(dtype) for _ in range(2)]
    table = torch.tensor([[4, 1], [2, 0], [3, 0]], dtype=torch.int32)
    query = torch.randn(sum(tokens), heads, size).to(dtype)
    result = attention.paged_attention(
        query,
        *caches,
        query_ends=torch.tensor(tokens).cumsum(0).tolist(),
        context_lengths=contexts,
        block_table=table,
        num_kv_heads=kv_heads,
        scale=size**-0.5,
        causal=causal,
    )
    start = 0
    for row, (count, length) in enumerate(zip(tokens, contexts, strict=True)):
        key, value = (
            torch.stack([c[table[row, i // block_size], i % block_size] for i in range(length)])
            for c in caches
        )
        exact = attended(query[start : start + count], key, value, size**-0.5, causal)
        close(result[start : start + count], exact, dtype)
        start += count


@dtypes
@pytest.mark.parametrize(("heads", "tokens"), [(1, [1, 1]), (16, [1, 1]), (4, [16, 2]), (128, [3, 1])])
def test_latent_attention(heads: int, tokens: list[int], dtype: torch.dtype) -> None:
    latent, rope = torch.randn(3, 128, 1, 512).to(dtype), torch.randn(3, 128, 1, 64).to(dtype)
    lengths, table = [130, 20], torch.tensor([[2, 1], [0, 0]], dtype=torch.int32)
    nope, turned = (
        torch.randn(sum(tokens), heads, 512).to(dtype),
        torch.randn(sum(tokens), heads, 64).to(dtype),
    )
    output, lse = attention.paged_latent_attention(
        nope,
        turned,
        latent,
        rope,
        query_ends=torch.tensor(tokens).cumsum(0).tolist(),
        context_lengths=lengths,
        block_table=table,
        scale=0.04,
    )
    start = 0
    for row, count in enumerate(tokens):
        pages = table[row].long()
        c, r = (t[pages].reshape(-1, 1, t.shape[-1])[: lengths[row]] for t in (latent, rope))
        end = start + count
        query, key = torch.cat((nope, turned), -1)[start:end], torch.cat((c, r), -1)
        close(output[start:end], attended(query, key, c, 0.04, True), dtype)
        scores = key[:, 0].double() @ query[-1].double().T * 0.04
        close(lse[end - 1], scores.exp().sum(0).log(), torch.float32)
        start = end


@dtypes
@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize(("heads", "kv_heads", "size"), [(1, 1, 8), (4, 2, 72), (2, 2, 80)])
def test_packed_attention(heads: int, kv_heads: int, size: int, causal: bool, dtype: torch.dtype) -> None:
    query, key, value = (torch.randn(12, n, size).to(dtype) for n in (heads, kv_heads, kv_heads))
    output, _ = attention.varlen_attention(
        query, key, value, query_ends=[5, 12], key_ends=[5, 12], scale=0.2, causal=causal
    )
    for part in (slice(0, 5), slice(5, 12)):
        close(output[part], attended(query[part], key[part], value[part], 0.2, causal), dtype)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize(("heads", "kv_heads", "size"), [(1, 1, 128), (4, 4, 32), (6, 2, 96)])
def test_rotated_attention(heads: int, kv_heads: int, size: int, causal: bool, dtype: torch.dtype) -> None:
    nope, turned = torch.randn(7, heads, size).to(dtype), torch.randn(7, heads, 64).to(dtype)
    key, rope, value = (torch.randn(15, kv_heads, n).to(dtype) for n in (size, 64, size))
    output, lse = attention.rotated_attention(
        nope, turned, key, rope, value, query_ends=[5, 7], key_ends=[5, 15], scale=0.07, causal=causal
    )
    whole, keys = torch.cat((nope, turned), -1), torch.cat((key, rope), -1)
    for queries, seen in ((slice(0, 5), slice(0, 5)), (slice(5, 7), slice(5, 15))):
        close(output[queries], attended(whole[queries], keys[seen], value[seen], 0.07, causal), dtype)
        last = whole[queries][-1].double()
        for head in range(heads):
            scores = keys[seen, head // (heads // kv_heads)].double() @ last[head] * 0.07
            close(lse[queries][-1, head], scores.exp().sum().log(), torch.float32)


@dtypes
@pytest.mark.parametrize("borders", [[0, 4, 9], [0, 1, 3, 9]])
def test_parts_of_the_keys_are_merged(borders: list[int], dtype: torch.dtype) -> None:
    query, key, value = (torch.randn(n, 3, 24).to(dtype) for n in (5, 9, 9))
    parts = []
    for start, end in pairwise(borders):
        exact = attended(query, key[start:end], value[start:end], 0.3, causal=False)
        scores = torch.einsum("qhd,khd->qhk", query.double(), key[start:end].double()) * 0.3
        parts.append((exact.to(dtype), scores.exp().sum(-1).log().float()))
    output, lse = attention.merge(parts)
    close(output, attended(query, key, value, 0.3, causal=False), dtype)
    all_scores = torch.einsum("qhd,khd->qhk", query.double(), key.double()) * 0.3
    close(lse, all_scores.exp().sum(-1).log(), torch.float32)


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


@dtypes
@pytest.mark.parametrize(("experts", "top_k"), [(3, 1), (8, 2), (60, 8)])
def test_softmax_routing(experts: int, top_k: int, dtype: torch.dtype) -> None:
    logits = torch.randn(17, experts).to(dtype)
    weights, chosen = moe.gate(
        logits, top_k, sigmoid=False, renormalise=True, bias=None, groups=1, top_groups=1, scaling=2.5
    )
    for token in range(17):
        best = sorted(range(experts), key=lambda e: -logits[token, e].item())[:top_k]
        values = [math.exp(logits[token, e].item()) for e in best]
        assert sorted(chosen[token].tolist()) == sorted(best) or dtype != torch.float32
        exact = torch.tensor([2.5 * v / sum(values) for v in values])
        close(weights[token].sort(descending=True).values, exact, torch.float32)


@pytest.mark.parametrize(("groups", "top_groups", "top_k"), [(2, 1, 2), (4, 2, 4), (8, 4, 6)])
def test_sigmoid_routing_in_groups(groups: int, top_groups: int, top_k: int) -> None:
    logits, bias = torch.randn(21, 32), torch.randn(32)
    weights, chosen = moe.gate(
        logits,
        top_k,
        sigmoid=True,
        renormalise=True,
        bias=bias,
        groups=groups,
        top_groups=top_groups,
        scaling=1.0,
    )
    size = 32 // groups
    for token in range(21):
        scores = [1 / (1 + math.exp(-v)) for v in logits[token].tolist()]
        ranked = [score + b for score, b in zip(scores, bias.tolist(), strict=True)]
        worth = [sum(sorted(ranked[g * size : (g + 1) * size])[-2:]) for g in range(groups)]
        open_groups = sorted(range(groups), key=lambda g: -worth[g])[:top_groups]
        inside = [e for e in range(32) if e // size in open_groups]
        best = sorted(inside, key=lambda e: -ranked[e])[:top_k]
        assert chosen[token].tolist() == best
        total = sum(scores[e] for e in best)
        close(weights[token], torch.tensor([scores[e] / total for e in best]), torch.float32)


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
