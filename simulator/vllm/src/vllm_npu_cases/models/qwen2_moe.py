"""Qwen2-MoE: eight experts beside a shared one, which a gate of its own weighs; weights are not renormalised."""

from typing import Any

from vllm_npu_cases.models.recipe import COMMON, EXPERTS, Recipe


def _configuration() -> Any:
    from transformers import Qwen2MoeConfig

    return Qwen2MoeConfig(
        **COMMON,
        num_attention_heads=4,
        num_key_value_heads=2,
        moe_intermediate_size=64,
        shared_expert_intermediate_size=96,
        num_experts=8,
        num_experts_per_tok=2,
        norm_topk_prob=False,
        decoder_sparse_step=1,
        mlp_only_layers=[],
    )


RECIPE = Recipe(name="qwen2_moe", configuration=_configuration, operators=EXPERTS)
