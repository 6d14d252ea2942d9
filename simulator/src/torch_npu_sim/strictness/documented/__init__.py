"""Rows of constraints, a module a family, each with the sentence of the wheel's documents that it is made of.

A run imports the rows of an operator when it is called first: a check depends on those alone.
"""

from __future__ import annotations

import functools
import importlib

from torch_npu_sim.strictness.row import Row

_FIRST, _SECOND = "npu_fused_infer_attention_score", "npu_fused_infer_attention_score_v2"
_FUSION, _PROMPT, _GROUPED = "npu_fusion_attention", "npu_prompt_flash_attention", "npu_grouped_matmul"

#: The operators that the rows of each module are about.
FAMILIES: dict[str, tuple[str, ...]] = {
    "attention_for_training": (_FUSION,),
    "attention_for_training_masks": (_FUSION,),
    "attention_in_parts": (_SECOND,),
    "attention_latent": (_SECOND,),
    "attention_of_batches": (_FIRST, _SECOND),
    "attention_of_prompts": (_PROMPT,),
    "attention_of_prompts_scaled": (_PROMPT,),
    "attention_of_tokens": (_FIRST, _SECOND),
    "attention_packed": (_SECOND,),
    "attention_paged": (_FIRST, _SECOND),
    "attention_quantised": (_FIRST, _SECOND),
    "attention_rotated": (_FIRST, _SECOND),
    "attention_scales": (_FIRST, _SECOND),
    "attention_scales_of_several": (_FIRST, _SECOND),
    "attention_shifted": (_FIRST, _SECOND),
    "caches": ("npu_scatter_nd_update_", "npu_scatter_pa_kv_cache"),
    "elementwise": (
        "npu_clipped_swiglu",
        "npu_dynamic_quant",
        "npu_fast_gelu",
        "npu_quantize",
        "npu_rms_norm",
        "npu_rotary_mul",
        "npu_swiglu",
    ),
    "experts": ("npu_moe_gating_top_k", "npu_moe_init_routing_v2"),
    "experts_permuted": ("npu_moe_gating_top_k_softmax", "npu_moe_token_permute", "npu_moe_token_unpermute"),
    "matmul": ("npu_quant_matmul",),
    "matmul_of_groups": (_GROUPED, f"{_GROUPED}.List"),
    "matmul_of_groups_by_case": (_GROUPED, f"{_GROUPED}.List"),
    "matmul_of_weights": (
        "npu_convert_weight_to_int4pack",
        "npu_transpose_batchmatmul",
        "npu_weight_quant_batchmatmul",
    ),
    "norms_quantised": ("npu_add_rms_norm_dynamic_quant", "npu_add_rms_norm_quant"),
    "rotary": ("npu_apply_rotary_pos_emb", "npu_mrope"),
    "states": ("npu_attention_update", "npu_chunk_gated_delta_rule", "npu_recurrent_gated_delta_rule"),
}
#: The operators that have rows.
OPERATORS = frozenset(operator for among in FAMILIES.values() for operator in among)


@functools.cache
def rows_of(operator: str) -> tuple[Row, ...]:
    """Return the rows of an operator; importing no others."""
    families = (family for family, among in FAMILIES.items() if operator in among)
    return tuple(row for family in families for row in rows_in(family) if operator in row.operators)


def rows_in(family: str) -> tuple[Row, ...]:
    """Return the rows of a module of this package."""
    found: tuple[Row, ...] = importlib.import_module(f"{__name__}.{family}").ROWS
    return found


def rows() -> tuple[Row, ...]:
    """Return the rows of all modules."""
    return tuple(row for family in FAMILIES for row in rows_in(family))
