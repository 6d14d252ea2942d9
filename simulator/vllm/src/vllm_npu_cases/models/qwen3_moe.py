"""Qwen3-MoE: eight experts, two a token, chosen by a softmax."""

from typing import Any

from vllm_npu_cases.models.recipe import COMMON, EXPERTS, Recipe


def _configuration() -> Any:
    from transformers import Qwen3MoeConfig

    return Qwen3MoeConfig(
        **COMMON,
        num_attention_heads=4,
        num_key_value_heads=2,
        head_dim=32,
        moe_intermediate_size=64,
        num_experts=8,
        num_experts_per_tok=2,
        norm_topk_prob=True,
        decoder_sparse_step=1,
        mlp_only_layers=[],
    )


RECIPE = Recipe(name="qwen3_moe", configuration=_configuration, operators=EXPERTS)
