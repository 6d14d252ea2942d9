"""Rows of constraints, a module a family, each with the sentence of the wheel's documents that it is made of.

A run imports the rows of an operator when it is called first: a check depends on those alone.
"""

from __future__ import annotations

import functools
import importlib

from torch_npu_sim.strictness.row import Row

#: The operators that the rows of each module are about.
FAMILIES: dict[str, tuple[str, ...]] = {
    "attention_for_training": ("npu_fusion_attention",),
    "attention_of_tokens": ("npu_fused_infer_attention_score", "npu_fused_infer_attention_score_v2"),
    "attention_paged": ("npu_fused_infer_attention_score", "npu_fused_infer_attention_score_v2"),
    "elementwise": ("npu_dynamic_quant", "npu_quantize", "npu_rms_norm", "npu_rotary_mul", "npu_swiglu"),
    "experts": ("npu_moe_gating_top_k", "npu_moe_init_routing_v2", "npu_moe_token_unpermute"),
    "matmul": ("npu_grouped_matmul", "npu_grouped_matmul.List", "npu_quant_matmul"),
    "read_by_program": (
        "npu_add_rms_norm_dynamic_quant",
        "npu_add_rms_norm_quant",
        "npu_apply_rotary_pos_emb",
        "npu_clipped_swiglu",
        "npu_convert_weight_to_int4pack",
        "npu_dynamic_block_quant",
        "npu_dynamic_mx_quant",
        "npu_grouped_matmul_swiglu_quant_v2",
        "npu_kronecker_quant",
        "npu_kv_quant_sparse_flash_attention",
        "npu_lightning_indexer",
        "npu_mla_prolog_v3",
        "npu_mm_reduce_scatter_base",
        "npu_moe_gating_top_k_softmax",
        "npu_moe_token_permute",
        "npu_mrope",
        "npu_prompt_flash_attention",
        "npu_quant_lightning_indexer",
        "npu_scatter_nd_update_",
        "npu_transpose_batchmatmul",
        "npu_weight_quant_batchmatmul",
    ),
    "states": (
        "npu_attention_update",
        "npu_chunk_gated_delta_rule",
        "npu_recurrent_gated_delta_rule",
        "npu_scatter_pa_kv_cache",
    ),
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
