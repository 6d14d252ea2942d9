"""A layer's update of the KV cache, from vLLM's custom operator to the device's."""

from __future__ import annotations

import sys
from types import FrameType

import pytest
import torch
from ascend_backend.compilation import acl_graphs
from torch_npu_sim.operators import calls
from vllm.config import VllmConfig, set_current_vllm_config
from vllm.forward_context import set_forward_context
from vllm.model_executor.layers.attention.attention import Attention

NAME = "model.layers.0.self_attn.attn"
CHAIN = ("unified_kv_cache_update", "do_kv_cache_update", "reshape_and_cache", "npu_scatter_pa_kv_cache")


@pytest.fixture
def config() -> VllmConfig:
    return VllmConfig()


def test_the_update_passes_every_stage_and_stores_what_it_was_given(config: VllmConfig) -> None:
    with set_current_vllm_config(config):
        layer = Attention(4, 32, 0.3, num_kv_heads=2, prefix=NAME)
    assert layer.attn_backend.get_impl_cls().__module__ == "ascend_backend.attention.paged"
    stored = torch.zeros(4, 128, 2, 64)
    layer.kv_cache = stored.transpose(1, 2)  # vLLM's view: [blocks, heads, block_size, content]
    key, value = torch.randn(5, 2, 32), torch.randn(5, 2, 32)
    slots = torch.tensor([130, 400, 131, -1])  # padding, and a token more than there are slots
    stages: list[str] = []

    def follow(frame: FrameType, event: str, argument: object) -> None:
        if event == "call" and frame.f_code.co_name in CHAIN:
            stages.append(frame.f_code.co_name)

    calls.clear()
    with set_forward_context(None, config, slot_mapping={NAME: slots}):
        sys.setprofile(follow)
        try:
            torch.ops.vllm.unified_kv_cache_update(key, value, NAME)
        finally:
            sys.setprofile(None)
    assert tuple(stages) == CHAIN
    assert calls == {"npu_scatter_pa_kv_cache": 1}
    halves = stored.view(2, 4 * 128, 2, 32)
    for part, given in ((0, key), (1, value)):
        assert torch.equal(halves[part, slots[:3]], given[:3])
        # Padding is written to the null block, which nobody reads.
        untouched = [slot for slot in range(128, 4 * 128) if slot not in slots.tolist()]
        assert not halves[part, untouched].any()


def test_the_update_is_captured_in_a_graph_and_stores_what_lies_at_its_addresses(config: VllmConfig) -> None:
    with set_current_vllm_config(config):
        layer = Attention(4, 32, 0.3, num_kv_heads=2, prefix=NAME)
    stored = torch.zeros(4, 128, 2, 64)
    layer.kv_cache = stored.transpose(1, 2)
    key, value, slots = torch.zeros(3, 2, 32), torch.zeros(3, 2, 32), torch.tensor([128, 129, 130])
    graph = acl_graphs.Graph()
    with (
        torch.inference_mode(),
        set_forward_context(None, config, slot_mapping={NAME: slots}),
        acl_graphs.capture(graph),
    ):
        torch.ops.vllm.unified_kv_cache_update(key, value, NAME)
    halves = stored.view(2, 4 * 128, 2, 32)
    for places in ([131, 400, -1], [7 + 128, 300, 301]):
        key.normal_()
        value.normal_()
        slots.copy_(torch.tensor(places))
        stored.zero_()
        calls.clear()
        graph.replay()
        assert calls == {"npu_scatter_pa_kv_cache": 1}
        there = [place for place in places if place >= 0]
        for part, given in ((0, key), (1, value)):
            assert torch.equal(halves[part, there], given[: len(there)])


def test_attention_leaves_the_cache_alone(config: VllmConfig) -> None:
    with set_current_vllm_config(config):
        layer = Attention(4, 32, 0.3, num_kv_heads=2, prefix=NAME)
    assert not layer.attn_backend.forward_includes_kv_cache_update
