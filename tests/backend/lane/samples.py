"""A valid call of every operator that the backend uses, as the modules of ``ascend_backend.ops`` make it."""

from __future__ import annotations

from typing import Any

import torch

Call = tuple[tuple[Any, ...], dict[str, Any]]


def _mask() -> torch.Tensor:
    return torch.ones(2048, 2048, dtype=torch.bool).triu_(1)


def _paged(causal: bool) -> dict[str, Any]:
    return {
        "atten_mask": _mask() if causal else None,
        "actual_seq_lengths": [1, 6],
        "actual_seq_lengths_kv": [140, 5],
        "block_table": torch.tensor([[2, 0], [1, 3]], dtype=torch.int32),
        "num_heads": 4,
        "num_key_value_heads": 2,
        "scale": 0.2,
        "input_layout": "TND",
        "sparse_mode": 3 if causal else 0,
        "block_size": 128,
    }


def _latent(tokens: list[int]) -> Call:
    ends = torch.tensor(tokens).cumsum(0).tolist()
    latent = torch.randn(3, 128, 512)
    several = max(tokens) > 1
    return (torch.randn(ends[-1], 4, 512), latent, latent), {
        "query_rope": torch.randn(ends[-1], 4, 64),
        "key_rope": torch.randn(3, 128, 64),
        "atten_mask": _mask() if several else None,
        "actual_seq_qlen": ends,
        "actual_seq_kvlen": [150, 20],
        "block_table": torch.tensor([[2, 0], [1, 0]], dtype=torch.int32),
        "num_query_heads": 4,
        "num_key_value_heads": 1,
        "softmax_scale": 0.1,
        "input_layout": "TND",
        "sparse_mode": 3 if several else 0,
        "block_size": 128,
        "return_softmax_lse": True,
    }


def _rotated(causal: bool) -> Call:
    return (torch.randn(6, 4, 128), torch.randn(9, 2, 128), torch.randn(9, 2, 128)), {
        "query_rope": torch.randn(6, 4, 64),
        "key_rope": torch.randn(9, 2, 64),
        "atten_mask": _mask() if causal else None,
        "actual_seq_qlen": [4, 6],
        "actual_seq_kvlen": [4, 9],
        "num_query_heads": 4,
        "num_key_value_heads": 2,
        "softmax_scale": 0.1,
        "input_layout": "TND",
        "sparse_mode": 3 if causal else 0,
        "return_softmax_lse": causal,
    }


def _delta(lengths: list[int]) -> Call:
    tokens = sum(lengths)
    given = torch.randn(tokens, 2, 128), torch.randn(tokens, 2, 128), torch.randn(tokens, 4, 128)
    return tuple(part.bfloat16() / 8 for part in given), {
        "beta": torch.rand(tokens, 4).bfloat16(),
        "actual_seq_lengths": torch.tensor(lengths, dtype=torch.int32),
        "scale": 0.1,
        "g": -torch.rand(tokens, 4),
    }


def _delta_states(count: int) -> torch.Tensor:
    return torch.randn(count, 4, 128, 128).bfloat16()


def _delta_of_sequences() -> Call:
    given, keywords = _delta([3, 1])
    return given, keywords | {"initial_state": _delta_states(2)}


def _delta_of_tokens() -> Call:
    given, keywords = _delta([2, 1])
    indices = torch.tensor([1, 2, 4], dtype=torch.int32)
    return (*given, _delta_states(5)), keywords | {"ssm_state_indices": indices}


def samples() -> dict[str, list[Call]]:
    """The calls, by operator."""
    torch.manual_seed(0)
    query, cache = torch.randn(6, 4, 32), torch.randn(4, 128, 64)
    packed = {"actual_seq_qlen": [3, 8], "actual_seq_kvlen": [4, 9], "scale": 0.3, "softmax_layout": "TND"}
    experts = torch.tensor([[0, 2], [1, 2], [3, 0]], dtype=torch.int32)
    counts = torch.tensor([2, 1, 0, 3])
    routing = {
        "active_num": 6, "expert_num": 4, "expert_tokens_num_type": 1, "expert_tokens_num_flag": True,
        "active_expert_range": [0, 4],
    }  # fmt: skip
    groups = {"k_group": 1, "group_count": 2, "group_select_mode": 1, "norm_type": 1}
    slots = torch.tensor([5, 300, 17])
    angles = torch.rand(1, 7, 1, 32) * 2 - 1
    kv = [
        torch.randn(3, 2, 32),
        torch.randn(3, 2, 16),
        torch.zeros(4, 128, 2, 32),
        torch.zeros(4, 128, 2, 16),
    ]
    rows, weights = torch.randn(6, 8), torch.randn(4, 8, 5)
    return {
        "npu_swiglu": [((torch.randn(3, 8),), {}), ((torch.randn(4, 3, 2), 0), {})],
        "npu_rms_norm": [((torch.randn(3, 8), torch.randn(8), 1e-6), {})],
        "npu_add_rms_norm": [((torch.randn(3, 8), torch.randn(3, 8), torch.randn(8), 1e-6), {})],
        "npu_rotary_mul": [
            ((torch.randn(1, 7, 2, 32), angles, angles, mode), {}) for mode in ("half", "interleave")
        ],
        "npu_scatter_pa_kv_cache": [((*kv, slots), {"cache_mode": "Norm"})],
        "npu_fused_infer_attention_score": [
            ((query, cache, cache.clone()), _paged(causal) | {"softmax_lse_flag": causal})
            for causal in (True, False)
        ],
        "npu_fused_infer_attention_score_v2": [
            *(_latent([1, 1]), _rotated(causal=True), _rotated(causal=False), _latent([16, 3])),
        ],
        "npu_chunk_gated_delta_rule": [_delta_of_sequences()],
        "npu_recurrent_gated_delta_rule": [_delta_of_tokens()],
        "npu_attention_update": [
            (([torch.randn(12), torch.randn(12)], [torch.randn(12, 16), torch.randn(12, 16)], 1), {})
        ],
        "npu_gather_pa_kv_cache": [
            ((torch.randn(4, 128, 1, 512), torch.randn(4, 128, 1, 64),
              torch.tensor([[2, 3], [1, 0]], dtype=torch.int32), torch.tensor([130, 5], dtype=torch.int32),
              torch.zeros(135, 1, 512), torch.zeros(135, 1, 64)), {})
        ],
        "npu_fusion_attention": [
            ((torch.randn(8, 4, 16), torch.randn(9, 2, 16), torch.randn(9, 2, 16), 4, "TND"),
             packed | {"atten_mask": _mask() if causal else None, "sparse_mode": 3 if causal else 0})
            for causal in (True, False)
        ],
        "npu_moe_gating_top_k": [
            ((torch.randn(3, 8), 2), {}),
            ((torch.randn(3, 8), 2), groups | {"bias": torch.randn(8)}),
        ],
        "npu_moe_init_routing_v2": [((torch.randn(3, 8), experts), routing)],
        "npu_grouped_matmul": [
            (([rows], [matrices]), {"group_list": counts, "split_item": 2, "group_type": 0, "group_list_type": 1})
            for matrices in (weights, weights.transpose(1, 2).contiguous().transpose(1, 2))
        ],
        "npu_dynamic_quant": [((torch.randn(3, 8),), {})],
        "npu_quantize": [((torch.randn(3, 8), torch.rand(1), None, torch.qint8, -1, False), {})],
        "npu_quant_matmul": [
            ((torch.ones(3, 8, dtype=torch.int8), torch.ones(4, 8, dtype=torch.int8).T, torch.rand(4)),
             {"pertoken_scale": torch.rand(3) if bias is None else None, "bias": bias, "output_dtype": torch.float16})
            for bias in (None, torch.randn(4))
        ],
        "npu_moe_token_unpermute": [
            ((torch.randn(6, 8), torch.tensor([2, 0, 1, 5, 4, 3], dtype=torch.int32), torch.rand(3, 2)), {})
        ],
    }  # fmt: skip
