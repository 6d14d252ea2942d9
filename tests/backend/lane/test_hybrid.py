"""Layers with a state and layers with keys and values: what each keeps of a block lies within the block."""

from __future__ import annotations

import pytest
import torch
from ascend_backend.attention.kv_cache_layout import PairedCaches, paired
from ascend_backend.layers.causal_conv1d import causal_conv1d
from ascend_backend.ops import attention, kv_cache
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn import functional

BLOCKS, BLOCK_SIZE, HEADS, SIZE = 5, 128, 2, 32


def view(memory: torch.Tensor) -> torch.Tensor:
    """vLLM's view of a layer's bytes: [blocks, heads, block_size, content]."""
    return memory.view(BLOCKS, BLOCK_SIZE, HEADS, 2 * SIZE).transpose(1, 2)


def caches() -> tuple[torch.Tensor, PairedCaches]:
    memory = torch.zeros(BLOCKS, BLOCK_SIZE * HEADS * 2 * SIZE)
    return memory, paired(view(memory), SIZE)


@settings(max_examples=30)
@given(st.sets(st.integers(BLOCK_SIZE, BLOCKS * BLOCK_SIZE - 1), min_size=1, max_size=9))
def test_what_is_stored_in_a_block_stays_in_it(places: set[int]) -> None:
    memory, both = caches()
    slots = torch.tensor([*places, -1])
    key, value = torch.randn(len(slots), HEADS, SIZE), torch.randn(len(slots), HEADS, SIZE)
    kv_cache.reshape_and_cache(key, value, both.first, both.second, both.slots(slots))
    touched = {place // BLOCK_SIZE for place in places} | {0}  # padding goes to the null block
    assert set(memory.any(1).nonzero().flatten().tolist()) == touched
    halves = memory.view(BLOCKS, 2, BLOCK_SIZE, HEADS, SIZE)
    for row, place in enumerate(places):
        block, offset = divmod(place, BLOCK_SIZE)
        assert torch.equal(halves[block, 0, offset], key[row])
        assert torch.equal(halves[block, 1, offset], value[row])
    assert int(halves.any(-1).any(-1).sum()) == 2 * len(slots)


def test_attention_reads_what_was_stored() -> None:
    _, both = caches()
    tokens = 200
    table = torch.tensor([[4, 2]], dtype=torch.int32)
    slots = torch.cat((torch.arange(128) + 4 * 128, torch.arange(72) + 2 * 128))
    query, key, value = (torch.randn(tokens, heads, SIZE) for heads in (4, HEADS, HEADS))
    kv_cache.reshape_and_cache(key, value, both.first, both.second, both.slots(slots))
    attended = attention.paged_attention(
        query, both.first, both.second, query_ends=[tokens], context_lengths=[tokens],
        block_table=both.block_table(table), num_kv_heads=HEADS, scale=0.2, causal=True,
    )  # fmt: skip
    exact = functional.scaled_dot_product_attention(
        query.transpose(0, 1), key.repeat_interleave(2, 1).transpose(0, 1),
        value.repeat_interleave(2, 1).transpose(0, 1), is_causal=True, scale=0.2,
    )  # fmt: skip
    torch.testing.assert_close(attended, exact.transpose(0, 1))


def test_a_view_with_something_between_its_blocks_is_refused() -> None:
    memory = torch.zeros(BLOCKS, BLOCK_SIZE * HEADS * 2 * SIZE + 16)
    spaced = memory[:, :-16].unflatten(1, (BLOCK_SIZE, HEADS, 2 * SIZE)).transpose(1, 2)
    with pytest.raises(ValueError, match="has no pages of 32"):
        paired(spaced, SIZE)
    with pytest.raises(ValueError, match="has no pages of 16"):
        paired(view(memory[:, :-16].contiguous()), 16)


@given(st.lists(st.integers(1, 9), min_size=1, max_size=4), st.integers(2, 5))
def test_sequences_are_convolved_as_if_they_were_alone(lengths: list[int], width: int) -> None:
    channels = 3
    x, weight = torch.randn(sum(lengths), channels), torch.randn(channels, width)
    states = torch.randn(len(lengths), width - 1, channels)
    starts = torch.tensor([0, *lengths], dtype=torch.int32).cumsum(0)
    output, after = causal_conv1d(x, weight, states, starts)
    for number, (begin, end) in enumerate(zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)):
        inputs = torch.cat((states[number], x[begin:end]))
        alone = functional.conv1d(inputs.T[None], weight[:, None], groups=channels)[0].T
        torch.testing.assert_close(output[begin:end], alone)
        assert torch.equal(after[number], inputs[-(width - 1) :])
