"""The layout of a cache of all layers: what is written is read back, by layer, operator and connector."""

from __future__ import annotations

import pytest
import torch
from ascend_backend.attention.cross_layer import (
    CrossLayerCache,
    LayerCache,
    inverse,
    layer_runs,
    permuted,
    stride_order,
    uniform,
)
from ascend_backend.ops import kv_cache
from ascend_backend.simulation.constraints import ConstraintError
from hypothesis import given, settings
from hypothesis import strategies as st

CPU = torch.device("cpu")
PLAIN = LayerCache(128, 2, (32, 32), torch.float16)
#: kv_lora_rank and qk_rope_head_dim of DeepSeek-V3.
LATENT = LayerCache(128, 1, (512, 64), torch.bfloat16)

dtypes = st.sampled_from([torch.float16, torch.bfloat16, torch.float32, torch.int8])
layer_caches = st.one_of(
    st.builds(
        LayerCache,
        st.sampled_from([16, 128]),
        st.integers(1, 4),
        st.tuples(st.sampled_from([16, 64, 80]), st.sampled_from([16, 48, 64])),
        dtypes,
    ),
    st.builds(LayerCache, st.sampled_from([16, 128]), st.just(1), st.just(LATENT.sizes), dtypes),
)
cross_layer_caches = st.builds(CrossLayerCache, layer_caches, st.integers(1, 5), st.integers(1, 6))


@given(st.permutations(range(6)))
def test_an_order_and_its_inverse_undo_each_other(order: list[int]) -> None:
    x = torch.arange(720).view(1, 2, 3, 4, 5, 6)
    stored = x.permute(order)
    assert tuple(stored.shape) == permuted(x.shape, order)
    assert torch.equal(stored.permute(inverse(order)), x)
    assert inverse(inverse(order)) == tuple(order)


@pytest.mark.parametrize(
    ("dimensions", "shape", "stored"),
    [(5, (3, 7, 128, 2, 64), (7, 3, 128, 2, 64)), (4, (3, 7, 128, 576), (7, 3, 128, 576))],
)
def test_the_block_is_outermost_with_heads_and_without(
    dimensions: int, shape: tuple[int, ...], stored: tuple[int, ...]
) -> None:
    assert permuted(shape, stride_order(dimensions)) == stored


@settings(deadline=None, max_examples=60)
@given(cross_layer_caches)
def test_no_two_places_share_a_byte_and_none_is_left_over(cache: CrossLayerCache) -> None:
    buffer = cache.allocate(CPU)
    seen = torch.zeros(cache.nbytes, dtype=torch.int32)
    for part in (0, 1):
        by_layer = cache.by_layer(buffer, part)
        assert by_layer.shape == cache.shape(part)
        first = by_layer.storage_offset()
        places = torch.zeros(by_layer.shape, dtype=torch.int64) + first
        for dimension, stride in enumerate(by_layer.stride()):
            steps = torch.arange(by_layer.shape[dimension]) * stride
            places += steps.view([-1 if d == dimension else 1 for d in range(5)])
        width = cache.layer.dtype.itemsize
        for byte in range(width):
            seen.index_add_(
                0, (places * width + byte).flatten(), torch.ones(places.numel(), dtype=torch.int32)
            )
    assert (seen == 1).all()


@settings(deadline=None, max_examples=60)
@given(cross_layer_caches, st.data())
def test_operators_see_a_contiguous_cache_in_which_a_layer_is_found(
    cache: CrossLayerCache, data: st.DataObject
) -> None:
    buffer = cache.allocate(CPU)
    layer = data.draw(st.integers(0, cache.layers - 1))
    slot = data.draw(st.integers(0, cache.blocks * cache.layer.block_size - 1))
    for part in (0, 1):
        whole, by_layer = cache.for_operators(buffer, part), cache.by_layer(buffer, part)
        assert whole.is_contiguous()
        place = int(cache.slots(torch.tensor([slot]), layer))
        whole.view(-1, *whole.shape[2:])[place] = 3
        size = cache.layer.block_size
        assert (by_layer[layer, slot // size, slot % size] == 3).all()
        assert int((by_layer == 3).sum()) == cache.layer.heads * cache.layer.sizes[part]
        table = cache.block_table(torch.tensor([[slot // size]]), layer)
        assert torch.equal(whole[int(table)], by_layer[layer, slot // size])


@settings(deadline=None, max_examples=60)
@given(cross_layer_caches, st.data())
def test_a_connector_moves_a_block_of_all_layers_and_nothing_else(
    cache: CrossLayerCache, data: st.DataObject
) -> None:
    buffer = torch.randint(-128, 128, (cache.nbytes,), dtype=torch.int8)
    source, target = (data.draw(st.integers(0, cache.blocks - 1)) for _ in range(2))
    kept = [buffer[start : start + length].clone() for start, length in cache.runs(source)]
    before = buffer.clone()
    for (start, length), content in zip(cache.runs(target), kept, strict=True):
        buffer[start : start + length] = content
    for part in (0, 1):
        was, now = (cache.by_layer(b, part) for b in (before, buffer))
        for block in range(cache.blocks):
            expected = was[:, source if block == target else block]
            assert torch.equal(
                now[:, block].contiguous().view(torch.int8), expected.contiguous().view(torch.int8)
            )


@pytest.mark.parametrize("layer", [PLAIN, LATENT])
def test_two_runs_a_block_in_place_of_two_a_layer(layer: LayerCache) -> None:
    cache = CrossLayerCache(layer, 61, 4)
    together, apart = list(cache.runs(2)), list(layer_runs(layer, 61, 4, 2))
    assert len(together) == 2
    assert len(apart) == 122
    assert sum(length for _, length in together) == sum(length for _, length in apart)


def test_the_operator_refuses_a_strided_layer_and_takes_the_whole_part() -> None:
    cache = CrossLayerCache(PLAIN, 3, 4)
    buffer = cache.allocate(CPU)
    keys, values = torch.randn(5, 2, 32).half(), torch.randn(5, 2, 32).half()
    slots = torch.tensor([0, 130, 511, 7, 300])
    with pytest.raises(ConstraintError, match="key_cache must be contiguous"):
        kv_cache.reshape_and_cache(keys, values, *(cache.by_layer(buffer, part)[1] for part in (0, 1)), slots)
    kv_cache.reshape_and_cache(
        keys, values, *(cache.for_operators(buffer, p) for p in (0, 1)), cache.slots(slots, 1)
    )
    for part, given_ in ((0, keys), (1, values)):
        by_layer = cache.by_layer(buffer, part)
        assert torch.equal(by_layer[1].reshape(-1, 2, 32)[slots], given_)
        assert not by_layer[0].any()
        assert not by_layer[2].any()


def test_layers_that_differ_cannot_share_blocks() -> None:
    assert uniform([PLAIN, PLAIN]) == PLAIN
    assert "layer 1 keeps" in str(uniform([PLAIN, LATENT]))
    assert uniform([]) == "the model has no layers with a KV cache"


def test_more_blocks_than_a_block_table_can_name() -> None:
    with pytest.raises(ValueError, match="more than a block table can name"):
        CrossLayerCache(PLAIN, 64, 1 << 25)
