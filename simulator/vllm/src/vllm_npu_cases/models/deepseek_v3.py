"""DeepSeek-V3: latent attention and experts in groups, chosen by biased sigmoids."""

from typing import Any

from vllm_npu_cases.models.recipe import COMMON, Recipe


def _configuration() -> Any:
    from transformers import DeepseekV3Config

    return DeepseekV3Config(
        **COMMON,
        num_attention_heads=4,
        num_key_value_heads=4,
        q_lora_rank=48,
        # The widths that the attention operators are documented for.
        kv_lora_rank=512,
        qk_rope_head_dim=64,
        qk_nope_head_dim=128,
        v_head_dim=128,
        moe_intermediate_size=64,
        n_routed_experts=8,
        n_shared_experts=1,
        num_experts_per_tok=2,
        n_group=2,
        topk_group=1,
        first_k_dense_replace=1,
        routed_scaling_factor=1.5,
        norm_topk_prob=True,
        scoring_func="sigmoid",
        topk_method="noaux_tc",
    )


RECIPE = Recipe(
    name="deepseek_v3",
    configuration=_configuration,
    dtype="bfloat16",
    operators=(
        "npu_rms_norm",
        "npu_add_rms_norm",
        "npu_rotary_mul",
        "npu_scatter_pa_kv_cache",
        "npu_fused_infer_attention_score_v2",
        "npu_moe_gating_top_k",
        "npu_moe_init_routing_v2",
        "npu_grouped_matmul",
        "npu_swiglu",
        "npu_moe_token_unpermute",
    ),
)
