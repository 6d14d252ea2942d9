"""A cache that the attention operators cannot count is refused at start, with what to set."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
import torch
from ascend_backend.worker.cache_bounds import require_countable
from vllm.v1.kv_cache_interface import FullAttentionSpec, KVCacheGroupSpec, MLAAttentionSpec

#: Qwen3-8B.
LAYERS = 36
SPEC = FullAttentionSpec(block_size=128, num_kv_heads=8, head_size=128, dtype=torch.bfloat16)


def checked(blocks: int, inside: bool, spec: Any = SPEC, **model: Any) -> None:
    kinds = {"use_mla": False, "is_hybrid": False, "get_head_size": lambda: 128} | model
    extra = {"cross_layer_blocks": inside}
    config: Any = SimpleNamespace(
        model_config=SimpleNamespace(**kinds),
        kv_transfer_config=SimpleNamespace(kv_connector_extra_config=extra),
    )
    group = KVCacheGroupSpec([str(number) for number in range(LAYERS)], spec)
    caches: Any = SimpleNamespace(num_blocks=blocks, kv_cache_groups=[group])
    require_countable(config, caches)


def test_blocks_of_all_layers() -> None:
    most = ((1 << 31) - 1) // (LAYERS * 128 * 8 * 128)
    assert most == 455
    checked(most, inside=True)
    with pytest.raises(
        ValueError, match=r"^attention on NPU counts .* 456 blocks .*--num-gpu-blocks-override 455, or leave"
    ) as error:
        checked(most + 1, inside=True)
    assert "\n" not in str(error.value)


def test_layers_apart_have_a_bound_of_their_own() -> None:
    checked(16383, inside=False)
    with pytest.raises(ValueError, match=r"--num-gpu-blocks-override 16383$"):
        checked(16384, inside=False)
    # Layers with states keep both parts of a block together.
    with pytest.raises(ValueError, match=r"--num-gpu-blocks-override 8191$"):
        checked(8192, inside=False, is_hybrid=True)


def test_latents_are_the_larger_part() -> None:
    spec = MLAAttentionSpec(block_size=128, num_kv_heads=1, head_size=576, dtype=torch.bfloat16)
    text = SimpleNamespace(kv_lora_rank=512, qk_rope_head_dim=64)
    with pytest.raises(ValueError, match=r"--num-gpu-blocks-override 910, or leave"):
        checked(911, inside=True, spec=spec, use_mla=True, hf_text_config=text)
