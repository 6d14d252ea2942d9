"""The layout of a cache of all layers: what is written through the operators' view is a layer's, and no other's."""

from __future__ import annotations

import pytest
import torch
from ascend_backend.attention.cross_layer import CrossLayerCache, LayerCache, uniform
from ascend_backend.ops import kv_cache
from hypothesis import given
from hypothesis import strategies as st
from torch_npu_sim.constraints import ConstraintError

from tests.backend.lane.cross_layer_memory import allocate, by_layer

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


@given(cross_layer_caches, st.data())
def test_operators_see_a_contiguous_cache_in_which_a_layer_is_found(
    cache: CrossLayerCache, data: st.DataObject
) -> None:
    memory = allocate(cache)
    layer = data.draw(st.integers(0, cache.layers - 1))
    slot = data.draw(st.integers(0, cache.blocks * cache.layer.block_size - 1))
    for part in (0, 1):
        whole, layers = cache.for_operators(memory, part), by_layer(cache, memory, part)
        assert whole.is_contiguous()
        place = int(cache.slots(torch.tensor([slot]), layer))
        whole.view(-1, *whole.shape[2:])[place] = 3
        size = cache.layer.block_size
        assert (layers[layer, slot // size, slot % size] == 3).all()
        assert int((layers == 3).sum()) == cache.layer.heads * cache.layer.sizes[part]
        table = cache.block_table(torch.tensor([[slot // size]]), layer)
        assert torch.equal(whole[int(table)], layers[layer, slot // size])


def test_the_operator_refuses_a_strided_layer_and_takes_the_whole_part() -> None:
    cache = CrossLayerCache(PLAIN, 3, 4)
    memory = allocate(cache)
    keys, values = torch.randn(5, 2, 32).half(), torch.randn(5, 2, 32).half()
    slots = torch.tensor([0, 130, 511, 7, 300])
    strided = [by_layer(cache, memory, part)[1] for part in (0, 1)]
    with pytest.raises(ConstraintError, match=r"key_cache has strides .* contiguous is demanded"):
        kv_cache.reshape_and_cache(keys, values, *strided, slots)
    kv_cache.reshape_and_cache(
        keys, values, *(cache.for_operators(memory, p) for p in (0, 1)), cache.slots(slots, 1)
    )
    for part, given_ in ((0, keys), (1, values)):
        layers = by_layer(cache, memory, part)
        assert torch.equal(layers[1].reshape(-1, 2, 32)[slots], given_)
        assert not layers[0].any()
        assert not layers[2].any()


def test_layers_that_differ_cannot_share_blocks() -> None:
    assert uniform([PLAIN, PLAIN]) == PLAIN
    assert "layer 1 keeps" in str(uniform([PLAIN, LATENT]))
    assert uniform([]) == "the model has no layers with a KV cache"
