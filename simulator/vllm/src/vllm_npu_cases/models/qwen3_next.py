"""Qwen3-Next: layers with a gated delta net beside one with gated attention; experts beside a shared one."""

from typing import Any

from vllm_npu_cases.models.recipe import COMMON, EXPERTS, Recipe


def _configuration() -> Any:
    from transformers import Qwen3NextConfig

    return Qwen3NextConfig(
        **(COMMON | {"num_hidden_layers": 4}),
        layer_types=["linear_attention", "linear_attention", "full_attention", "linear_attention"],
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=64,
        linear_num_key_heads=2,
        linear_num_value_heads=4,
        moe_intermediate_size=64,
        shared_expert_intermediate_size=96,
        num_experts=8,
        num_experts_per_tok=2,
    )


#: What normalises here has weights around zero, and is vLLM's own in torch.
RECIPE = Recipe(
    name="qwen3_next",
    configuration=_configuration,
    dtype="bfloat16",
    operators=(
        *(name for name in EXPERTS if name not in ("npu_rms_norm", "npu_add_rms_norm")),
        "npu_chunk_gated_delta_rule",
        "npu_recurrent_gated_delta_rule",
    ),
)
