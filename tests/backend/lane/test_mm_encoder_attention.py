"""Encoder attention, which no text model reaches, computes what upstream's own torch path does."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch
from ascend_backend import plugin
from torch_npu_sim.operators import calls
from vllm.config import VllmConfig, set_current_vllm_config
from vllm.model_executor.layers.attention.mm_encoder_attention import MMEncoderAttention


@pytest.fixture
def layer() -> Iterator[MMEncoderAttention]:
    plugin.register_layers()
    torch.manual_seed(0)
    with set_current_vllm_config(VllmConfig()):
        yield MMEncoderAttention(num_heads=4, head_size=32, scale=0.3, num_kv_heads=2)


def test_upstreams_class_makes_ours(layer: MMEncoderAttention) -> None:
    assert type(layer).__module__ == "ascend_backend.layers.mm_encoder_attention"


def test_packed_sequences(layer: MMEncoderAttention) -> None:
    query, key, value = torch.randn(1, 20, 128), torch.randn(1, 20, 64), torch.randn(1, 20, 64)
    starts = torch.tensor([0, 6, 20], dtype=torch.int32)
    calls.clear()
    output = layer.forward_oot(query, key, value, cu_seqlens=starts)
    assert calls == {"npu_fusion_attention": 1}
    assert output.shape == query.shape
    torch.testing.assert_close(
        output, layer.forward_native(query, key, value, cu_seqlens=starts).view(1, 20, 128)
    )


def test_a_batch_of_sequences_with_heads_apart(layer: MMEncoderAttention) -> None:
    query, key, value = (torch.randn(2, 9, heads, 32) for heads in (4, 2, 2))
    output = layer.forward_oot(query, key, value)
    assert output.shape == query.shape
    torch.testing.assert_close(output, layer.forward_native(query, key, value).view(2, 9, 4, 32))
