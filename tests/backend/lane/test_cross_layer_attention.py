"""Attention reads what its layer wrote to a cache of all layers: paged, with a window, and latent."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
import torch
from ascend_backend.attention.cross_layer import CrossLayerCache, LayerCache
from ascend_backend.ops import attention, kv_cache
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.backend.lane.cross_layer_memory import allocate, by_layer

#: float32 stands in for the half types, as in the simulated cases.
DTYPES = [torch.float16, torch.bfloat16, torch.float32]


@dataclass(frozen=True)
class Batch:
    """Requests whose tokens lie in blocks of a cache of all layers."""

    cache: CrossLayerCache
    layer: int
    group: int
    #: Of each request, the tokens of this step, and all that are kept.
    tokens: tuple[int, ...]
    lengths: tuple[int, ...]
    blocks: tuple[tuple[int, ...], ...]
    window: int | None

    @property
    def table(self) -> torch.Tensor:
        """The block table, rows filled up with block 0."""
        longest = max(map(len, self.blocks))
        rows = [row + (0,) * (longest - len(row)) for row in self.blocks]
        return torch.tensor(rows, dtype=torch.int32)

    @property
    def slots(self) -> torch.Tensor:
        """Where all kept tokens lie, request by request."""
        size = self.cache.layer.block_size
        places = [
            row[token // size] * size + token % size
            for row, length in zip(self.blocks, self.lengths, strict=True)
            for token in range(length)
        ]
        return torch.tensor(places)

    @property
    def requests(self) -> dict[str, list[int]]:
        """The arguments about the requests that every attention operator takes."""
        return {
            "query_ends": torch.tensor(self.tokens).cumsum(0).tolist(),
            "context_lengths": list(self.lengths),
        }


@st.composite
def batches(draw: st.DrawFn, layer_caches: st.SearchStrategy[LayerCache], most_tokens: int) -> Batch:
    """Batches over some of the blocks, which lie in any order; no two requests share one."""
    layer = draw(layer_caches)
    lengths = draw(st.lists(st.integers(1, 2 * layer.block_size), min_size=1, max_size=3))
    # Blocks of 16 are documented for single tokens alone.
    single = layer.block_size == 16
    tokens = [1 if single else draw(st.integers(1, min(length, most_tokens))) for length in lengths]
    counts = [-(-length // layer.block_size) for length in lengths]
    cache = CrossLayerCache(layer, draw(st.integers(1, 4)), sum(counts) + draw(st.integers(0, 2)))
    order = iter(draw(st.permutations(range(cache.blocks))))
    blocks = tuple(tuple(next(order) for _ in range(count)) for count in counts)
    window = draw(st.none() | st.integers(1, 2 * layer.block_size))
    group = draw(st.sampled_from([1, 2, 4]))
    return Batch(
        *(cache, draw(st.integers(0, cache.layers - 1)), group),
        *(tuple(tokens), tuple(lengths), blocks, window),
    )


def written(batch: Batch) -> tuple[list[torch.Tensor], list[torch.Tensor]]:
    """Write random tokens of all requests: the layer's part by itself, and what operators get of the whole.

    What other layers, and slots of no request, held before is left as it was.
    """
    cache, layer = batch.cache, batch.layer
    kept = cache.layer
    buffer = allocate(cache)
    for part in (0, 1):
        whole = cache.for_operators(buffer, part)
        whole.copy_(torch.randn(whole.shape))
    before = buffer.clone()
    apart = [by_layer(cache, before, part)[layer].contiguous() for part in (0, 1)]
    together = [cache.for_operators(buffer, part) for part in (0, 1)]
    slots = batch.slots
    new = [torch.randn(len(slots), kept.heads, size).to(kept.dtype) for size in kept.sizes]
    kv_cache.reshape_and_cache(*new, *apart, slots)
    kv_cache.reshape_and_cache(*new, *together, cache.slots(slots, layer))
    for part, (tokens, alone) in enumerate(zip(new, apart, strict=True)):
        now, was = (by_layer(cache, memory, part) for memory in (buffer, before))
        assert torch.equal(now[layer].flatten(0, 1)[slots], tokens)
        assert torch.equal(now[layer], alone)
        others = [other for other in range(cache.layers) if other != layer]
        assert torch.equal(now[others], was[others])
    return apart, together


def views(batch: Batch) -> Iterator[tuple[list[torch.Tensor], torch.Tensor]]:
    """The caches and the block table: of the layer by itself, and of the cache of all layers."""
    apart, together = written(batch)
    yield apart, batch.table
    yield together, batch.cache.block_table(batch.table, batch.layer)


def rows(batch: Batch, window: int) -> attention.WindowedRows:
    """Return what the operator needs for a window."""
    lengths = batch.requests
    return attention.windowed_rows(
        lengths["query_ends"], lengths["context_lengths"], window, torch.device("npu:0")
    )


@given(
    batches(
        st.builds(
            LayerCache,
            st.sampled_from([16, 128, 256]),
            st.integers(1, 3),
            st.sampled_from([16, 64, 80]).map(lambda size: (size, size)),
            st.sampled_from(DTYPES),
        ),
        most_tokens=20,
    )
)
def test_attention_reads_what_its_layer_wrote(batch: Batch) -> None:
    kept = batch.cache.layer
    query = torch.randn(sum(batch.tokens), kept.heads * batch.group, kept.sizes[0]).to(kept.dtype)
    windowed = kept.block_size == 16 and batch.window is not None
    outputs = [
        attention.paged_attention(
            query,
            *caches,
            block_table=table,
            num_kv_heads=kept.heads,
            scale=0.2,
            causal=True,
            # A window sends single tokens twice, for which blocks of 16 are not documented.
            window=None if windowed or batch.window is None else rows(batch, batch.window),
            **batch.requests,
        )
        for caches, table in views(batch)
    ]
    assert torch.equal(*outputs)
    assert outputs[0].isfinite().all()


@settings(max_examples=30)
@given(
    batches(
        st.builds(
            LayerCache,
            st.sampled_from([16, 128]),
            st.just(1),
            # kv_lora_rank and qk_rope_head_dim of DeepSeek-V3.
            st.just((512, 64)),
            st.sampled_from(DTYPES),
        ),
        most_tokens=16,
    )
)
def test_latent_attention_reads_what_its_layer_wrote(batch: Batch) -> None:
    kept = batch.cache.layer
    nope, rope = (torch.randn(sum(batch.tokens), batch.group, size).to(kept.dtype) for size in kept.sizes)
    results = [
        attention.paged_latent_attention(nope, rope, *caches, block_table=table, scale=0.05, **batch.requests)
        for caches, table in views(batch)
    ]
    for one, other in zip(*results, strict=True):
        assert torch.equal(one, other)
        assert one.isfinite().all()


@pytest.mark.parametrize("wrong", ["layer", "table"])
def test_another_layer_or_its_block_table_gives_something_else(wrong: str) -> None:
    cache = CrossLayerCache(LayerCache(128, 2, (32, 32), torch.float32), 3, 4)
    batch = Batch(cache, 1, 2, (2, 1), (200, 5), ((3, 1), (2,)), None)
    (apart, table), (together, there) = views(batch)
    query = torch.randn(3, 4, 32)
    mistaken = cache.block_table(table, 2) if wrong == "layer" else table
    right, same, other = (
        attention.paged_attention(
            *(query, *caches),
            block_table=blocks,
            num_kv_heads=2,
            scale=0.2,
            causal=True,
            **batch.requests,
        )
        for caches, blocks in ((apart, table), (together, there), (together, mistaken))
    )
    assert torch.equal(right, same)
    assert not torch.isclose(right, other).all()
