"""The references compute what plain torch computes another way."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional
from ascend_backend.attention import kv_cache_layout
from ascend_backend.ops import attention, kv_cache, moe, norm, rotary
from vllm.model_executor.layers.rotary_embedding.common import ApplyRotaryEmb


@pytest.fixture(autouse=True)
def seed() -> None:
    torch.manual_seed(0)


def test_rms_norm_is_torchs() -> None:
    x, weight = torch.randn(5, 64), torch.randn(64)
    torch.testing.assert_close(
        norm.rms_norm(x, weight, 1e-6), torch.nn.functional.rms_norm(x, (64,), weight, 1e-6)
    )


@pytest.mark.parametrize("neox", [True, False])
def test_rotation_is_vllms(neox: bool) -> None:
    x, angles = torch.randn(7, 4, 32), torch.randn(7, 16)
    cos, sin = angles.cos(), angles.sin()
    repeat = (lambda t: t.repeat(1, 2)) if neox else (lambda t: t.repeat_interleave(2, 1))
    expected = ApplyRotaryEmb.forward_static(x, cos, sin, neox)
    torch.testing.assert_close(rotary.rotary_mul(x, repeat(cos), repeat(sin), neox=neox), expected)


def sdpa(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, scale: float) -> torch.Tensor:
    """Attention of the last tokens of a context, with torch's own operator."""
    hidden = torch.ones(len(query), len(key), dtype=torch.bool).tril(len(key) - len(query))
    heads = [t.transpose(0, 1) for t in (query, key, value)]
    output = torch.nn.functional.scaled_dot_product_attention(
        *heads, attn_mask=hidden, scale=scale, enable_gqa=True
    )
    return output.transpose(0, 1)


#: (query tokens, context tokens) of each request: a decode, a chunk of a prompt, a whole prompt.
REQUESTS = [(1, 200), (40, 150), (130, 130)]


def test_paged_attention_is_torchs() -> None:
    layer = torch.zeros(8, 2, 128, 64)  # blocks, heads, tokens, content: vLLM's view of a layer
    key_cache, value_cache = kv_cache_layout.split(layer.transpose(1, 2).contiguous().transpose(1, 2), 32, 32)
    table = torch.tensor([[6, 1], [3, 0], [5, 2]], dtype=torch.int32)
    ends, lengths, queries, expected = [], [], [], []
    for row, (tokens, context) in enumerate(REQUESTS):
        query, key, value = (
            torch.randn(tokens, 4, 32),
            torch.randn(context, 2, 32),
            torch.randn(context, 2, 32),
        )
        places = torch.arange(context)
        slots = table[row][places // 128].long() * 128 + places % 128
        kv_cache.reshape_and_cache(key, value, key_cache, value_cache, slots)
        queries.append(query)
        expected.append(sdpa(query, key, value, 0.2))
        ends.append(sum(len(q) for q in queries))
        lengths.append(context)
    output = attention.paged_attention(
        torch.cat(queries),
        key_cache,
        value_cache,
        query_ends=ends,
        context_lengths=lengths,
        block_table=table,
        num_kv_heads=2,
        scale=0.2,
        causal=True,
    )
    torch.testing.assert_close(output, torch.cat(expected))


@pytest.mark.parametrize("causal", [True, False])
def test_packed_attention_is_torchs(causal: bool) -> None:
    query, key, value = (torch.randn(30, 4, 48) for _ in range(3))
    output, lse = attention.varlen_attention(
        query, key, value, query_ends=[12, 30], key_ends=[12, 30], scale=0.1, causal=causal
    )
    for start, end in [(0, 12), (12, 30)]:
        heads = [t[start:end].transpose(0, 1) for t in (query, key, value)]
        expected = torch.nn.functional.scaled_dot_product_attention(*heads, is_causal=causal, scale=0.1)
        torch.testing.assert_close(output[start:end], expected.transpose(0, 1))
    last = (query[29] * key[12:]).sum(-1) * 0.1
    torch.testing.assert_close(lse[29], last.logsumexp(0))


def test_experts_are_a_weighted_sum_of_feed_forward_layers() -> None:
    x, logits = torch.randn(9, 32), torch.randn(9, 6)
    gate_up, down = torch.randn(6, 40, 32), torch.randn(6, 32, 20)
    weights, experts = moe.gate(
        logits, 2, sigmoid=False, renormalise=True, bias=None, groups=1, top_groups=1, scaling=1.0
    )
    torch.testing.assert_close(weights.sum(-1), torch.ones(9))
    expected = torch.zeros_like(x)
    for token in range(9):
        for weight, expert in zip(weights[token], experts[token], strict=True):
            gate, up = (gate_up[expert] @ x[token]).chunk(2)
            expected[token] += weight * (down[expert] @ (torch.nn.functional.silu(gate) * up))
    torch.testing.assert_close(
        moe.swiglu_experts(x, weights, experts, gate_up, down), expected, rtol=1e-4, atol=1e-4
    )


def test_grouped_routing_stays_in_the_best_groups() -> None:
    logits, bias = torch.randn(50, 8), torch.randn(8)
    weights, experts = moe.gate(
        logits, 2, sigmoid=True, renormalise=True, bias=bias, groups=2, top_groups=1, scaling=1.5
    )
    ranked = logits.sigmoid() + bias
    best = ranked.view(50, 2, 4).topk(2, -1).values.sum(-1).argmax(-1)
    assert torch.equal(experts // 4, best[:, None].expand(50, 2).int())
    chosen = logits.sigmoid().gather(1, experts.long())
    torch.testing.assert_close(weights, chosen / chosen.sum(-1, keepdim=True) * 1.5)


def test_the_two_caches_of_a_layer_are_contiguous_and_share_nothing() -> None:
    layer = torch.zeros(3, 128, 2, 48).transpose(1, 2)
    first, second = kv_cache_layout.split(layer, 32, 16)
    assert first.shape == (3, 128, 2, 32)
    assert second.shape == (3, 128, 2, 16)
    assert first.is_contiguous()
    assert second.is_contiguous()
    first.fill_(1)
    second.fill_(2)
    assert (first == 1).all()
    assert (second == 2).all()
    assert layer.sum() == first.sum() + second.sum()


def test_a_layer_of_another_width_is_refused() -> None:
    with pytest.raises(ValueError, match=r"KV cache content is 48 wide, but the layer stores 32 \+ 32"):
        kv_cache_layout.split(torch.zeros(3, 128, 2, 48).transpose(1, 2), 32, 32)
