"""Gemma 3: layers with a sliding window beside layers without, each with rotary angles of its own."""

from typing import Any

from vllm_npu_cases.models.recipe import COMMON, Recipe


def _configuration() -> Any:
    from transformers import Gemma3TextConfig

    return Gemma3TextConfig(
        **(COMMON | {"num_hidden_layers": 3}),
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=32,
        query_pre_attn_scalar=32,
        sliding_window=50,
        layer_types=["sliding_attention", "full_attention", "sliding_attention"],
    )


RECIPE = Recipe(
    name="gemma3",
    configuration=_configuration,
    operators=("npu_rotary_mul", "npu_scatter_pa_kv_cache", "npu_fused_infer_attention_score"),
)
