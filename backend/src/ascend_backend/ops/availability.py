"""The operators that the modules of this package call, and since when torch_npu takes the calls."""

from collections.abc import Collection

#: The first release with the operator, the parameters that are passed, and the defaults that are relied on, of
#: those that docs/operators.md looks at.
SINCE = {
    "npu_add_rms_norm": "2.6.0",
    "npu_attention_update": "2.7.1",
    "npu_chunk_gated_delta_rule": "2.11.0",
    "npu_dynamic_quant": "2.6.0",
    "npu_fused_infer_attention_score": "2.6.0",
    "npu_fused_infer_attention_score_v2": "2.7.1",
    "npu_fusion_attention": "2.7.1",
    "npu_gather_pa_kv_cache": "2.10.0",
    "npu_grouped_matmul": "2.6.0",
    "npu_moe_gating_top_k": "2.6.0",
    "npu_moe_init_routing_v2": "2.6.0",
    "npu_moe_token_unpermute": "2.6.0",
    "npu_quant_matmul": "2.6.0",
    "npu_quantize": "2.6.0",
    "npu_recurrent_gated_delta_rule": "2.9.0",
    "npu_rms_norm": "2.6.0",
    "npu_rotary_mul": "2.6.0",
    "npu_scatter_pa_kv_cache": "2.10.0",
    "npu_swiglu": "2.6.0",
}

#: Of these, what models with a gated delta net call and no others.
GATED_DELTA_NET = frozenset({"npu_chunk_gated_delta_rule", "npu_recurrent_gated_delta_rule"})


def require(names: Collection[str] = SINCE.keys() - GATED_DELTA_NET) -> None:
    """Raise ImportError with one line if the torch_npu of this process lacks operators of these names."""
    import torch_npu

    missing = sorted(name for name in names if not hasattr(torch_npu, name))
    if missing:
        # Versions of two numbers and more, compared as numbers.
        newest = max((SINCE[name] for name in missing), key=lambda text: [int(part) for part in text.split(".")])
        raise ImportError(
            f"torch_npu {torch_npu.__version__} has no operator {', '.join(missing)}; torch_npu {newest} is the "
            f"first release that takes all calls: run pip install 'torch_npu>={newest}'"
        )
