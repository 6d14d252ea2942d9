"""Chunks of what prompts have in the latent cache."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import pytest
import torch
from ascend_backend.attention.mla import leading
from ascend_backend.attention.mla_context import Part, describe, plan
from ascend_backend.ops import attention, kv_cache

_CONTEXTS = (0, 1, 127, 128, 129, 300, 512)


@pytest.mark.parametrize("limit", [128, 200, 384, 4096])
def test_chunks_hold_every_context_once_and_in_order(limit: int) -> None:
    for contexts in itertools.product(_CONTEXTS, repeat=3):
        chunks = plan(contexts, limit, 128)
        assert all(0 < sum(part.length for part in chunk) <= limit for chunk in chunks)
        assert all(part.start % 128 == 0 and part.length > 0 for chunk in chunks for part in chunk)
        for chunk in chunks:
            requests = [part.request for part in chunk]
            assert requests == list(range(requests[0], requests[-1] + 1))
        held = [
            (part.request, token)
            for chunk in chunks
            for part in chunk
            for token in range(part.start, part.start + part.length)
        ]
        wanted = [(request, token) for request, length in enumerate(contexts) for token in range(length)]
        assert held == wanted


def test_a_chunk_holds_a_block_at_least() -> None:
    with pytest.raises(ValueError, match="a chunk of 127 tokens cannot hold a block of 128"):
        plan([5], 127, 128)


def test_block_tables_begin_with_the_first_block_of_a_part() -> None:
    table = torch.tensor([[9, 8, 7], [6, 5, 4], [3, 2, 1]], dtype=torch.int32)
    chunk = describe([Part(1, 128, 100), Part(2, 0, 200)], [4, 10, 11], table, 128)
    assert chunk.tokens == slice(4, 11)
    assert (chunk.query_ends, chunk.key_ends) == ([6, 7], [100, 300])
    assert chunk.lengths.tolist() == [100, 200]
    assert chunk.block_table.tolist() == [[5, 4], [3, 2]]
    assert chunk.lengths.dtype == chunk.block_table.dtype == torch.int32


@pytest.mark.parametrize(
    ("ends", "expected"),
    [([], 0), ([1, 2, 3], 3), ([1, 17, 34], 2), ([17, 18], 0), ([1, 1, 2], 3)],
)
def test_the_first_requests_attend_in_the_latent_space(ends: list[int], expected: int) -> None:
    assert leading(ends, 16) == expected


def _whole(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
    """Attention head by head; the last query sees all keys."""
    hidden = torch.ones(len(query), len(key)).triu(len(key) - len(query) + 1).bool()
    scores = torch.einsum("qhd,khd->hqk", query.double(), key.double()) * 0.05
    return torch.einsum("hqk,khd->qhd", scores.masked_fill(hidden, -torch.inf).softmax(-1), value.double())


@pytest.mark.parametrize("limit", [128, 256, 1024])
def test_attention_in_chunks_is_that_to_the_whole_context(limit: int) -> None:
    torch.manual_seed(0)
    contexts, ends = [200, 0, 290], [5, 9, 12]
    # Identity in place of the projection out of the latent space: a cached token is its key and its value.
    latent, rope = torch.randn(6, 128, 2, 128), torch.randn(6, 128, 2, 64)
    table = torch.tensor([[4, 1, 0], [0, 0, 0], [2, 5, 3]], dtype=torch.int32)
    query, turned, key, key_rope = (torch.randn(12, 2, size) for size in (128, 64, 128, 64))

    def attend(
        tokens: slice, k: torch.Tensor, r: torch.Tensor, q: Sequence[int], e: Sequence[int], causal: bool
    ) -> tuple[torch.Tensor, torch.Tensor]:
        return attention.rotated_attention(
            *(query[tokens], turned[tokens], k, r, k),
            query_ends=list(q),
            key_ends=list(e),
            scale=0.05,
            causal=causal,
        )

    output, lse = attend(slice(0, 12), key, key_rope, ends, ends, True)
    for parts in plan(contexts, limit, 128):
        chunk = describe(parts, ends, table, 128)
        found = kv_cache.gather(latent, rope, chunk.block_table, chunk.lengths, chunk.key_ends[-1])
        seen = attend(chunk.tokens, *found, chunk.query_ends, chunk.key_ends, False)
        output[chunk.tokens], lse[chunk.tokens] = attention.merge(
            [(output[chunk.tokens], lse[chunk.tokens]), seen]
        )

    for row, (start, end) in enumerate(itertools.pairwise([0, *ends])):
        pages = table[row].long()
        cached, cached_rope = (t[pages].flatten(0, 1)[: contexts[row]] for t in (latent, rope))
        value = torch.cat((cached, key[start:end]))
        whole_key = torch.cat((value, torch.cat((cached_rope, key_rope[start:end]))), -1)
        exact = _whole(torch.cat((query, turned), -1)[start:end], whole_key, value)
        torch.testing.assert_close(output[start:end].double(), exact, rtol=1e-5, atol=1e-5)
