"""Rows of fused attention: calls that the documents describe pass them all, and one thing changed is refused."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch_npu_sim.constraints import ConstraintError

from .test_documented import empty, held

FIRST = "npu_fused_infer_attention_score"
SECOND = "npu_fused_infer_attention_score_v2"
PROMPT = "npu_prompt_flash_attention"
TRAINING = "npu_fusion_attention"

Given = dict[str, Any]


def half(*shape: int) -> torch.Tensor:
    return empty(*shape, dtype=torch.float16)


def brain(*shape: int) -> torch.Tensor:
    return empty(*shape, dtype=torch.bfloat16)


def whole(*shape: int) -> torch.Tensor:
    return empty(*shape, dtype=torch.int8)


def table(*shape: int) -> torch.Tensor:
    return empty(*shape, dtype=torch.int32)


MASK = empty(2048, 2048, dtype=torch.bool)
_KEYS = half(1, 8, 1024, 128)
#: As the examples of the documents have it.
EXAMPLE: Given = {
    "query": half(1, 8, 164, 128),
    "key": _KEYS,
    "value": _KEYS,
    "input_layout": "BNSD",
    "pre_tokens": 65535,
    "next_tokens": 65535,
}
OF_FIRST: Given = EXAMPLE | {"num_heads": 8, "actual_seq_lengths": [164], "actual_seq_lengths_kv": [1024]}
OF_SECOND: Given = EXAMPLE | {"num_query_heads": 8, "actual_seq_qlen": [164], "actual_seq_kvlen": [1024]}
OF_PROMPT: Given = OF_FIRST

_CACHE = half(16, 128, 1024)
PAGED: Given = {
    "query": half(2, 1, 32, 128),
    "key": _CACHE,
    "value": _CACHE,
    "input_layout": "BSND",
    "num_heads": 32,
    "num_key_value_heads": 8,
    "block_table": table(2, 4),
    "block_size": 128,
    "actual_seq_lengths_kv": [3, 4],
}
SEVERAL: Given = PAGED | {"query": half(2, 4, 32, 128), "atten_mask": MASK, "sparse_mode": 3}

_LATENTS = brain(16, 128, 512)
LATENTS: Given = {
    "query": brain(2, 1, 32, 512),
    "key": _LATENTS,
    "value": _LATENTS,
    "query_rope": brain(2, 1, 32, 64),
    "key_rope": brain(16, 128, 64),
    "input_layout": "BSND",
    "num_key_value_heads": 1,
    "block_table": table(2, 4),
    "block_size": 128,
}
LATENTS_OF_FIRST: Given = LATENTS | {"num_heads": 32, "actual_seq_lengths_kv": [3, 4]}
LATENTS_OF_SECOND: Given = LATENTS | {
    "num_query_heads": 32,
    "actual_seq_kvlen": [3, 4],
    "input_layout": "BSND_NBSD",
}
#: A row of heads a token, which keeps neither heads nor sizes apart.
FLAT: Given = LATENTS_OF_SECOND | {
    "query": brain(2, 1, 32 * 512),
    "query_rope": brain(2, 1, 32 * 64),
    "input_layout": "BSH",
}
_PARTS = whole(16, 1, 16, 128, 32)
INT8_LATENTS: Given = LATENTS_OF_SECOND | {
    "query": whole(2, 1, 32, 512),
    "key": _PARTS,
    "value": _PARTS,
    "key_rope": brain(16, 1, 4, 128, 16),
    "dequant_scale_query": empty(2, 1, 32),
    "dequant_scale_key": empty(1),
    "dequant_scale_value": empty(1),
    "query_quant_mode": 3,
}
_INT8 = whole(16, 8, 4, 128, 32)
#: Keys of int8 with scales of channels, as a plugin has them.
INT8_KEYS: Given = {
    "query": brain(2, 32, 1, 128),
    "key": _INT8,
    "value": _INT8,
    "key_antiquant_scale": brain(8, 1, 128),
    "value_antiquant_scale": brain(8, 1, 128),
    "input_layout": "BNSD",
    "num_heads": 32,
    "num_key_value_heads": 8,
    "block_table": table(2, 4),
    "block_size": 128,
    "actual_seq_lengths_kv": [3, 4],
    "inner_precise": 1,
}
INT8_KEYS_OF_SECOND: Given = {
    name: value
    for name, value in INT8_KEYS.items()
    if not name.endswith("antiquant_scale") and name not in ("num_heads", "actual_seq_lengths_kv")
} | {
    "dequant_scale_key": brain(8, 1, 128),
    "dequant_scale_value": brain(8, 1, 128),
    "num_query_heads": 32,
    "actual_seq_kvlen": [3, 4],
}
_PACKED = brain(6, 8, 128)
SINKS: Given = {
    "query": _PACKED,
    "key": _PACKED,
    "value": _PACKED,
    "input_layout": "TND",
    "num_query_heads": 8,
    "actual_seq_qlen": [2, 6],
    "actual_seq_kvlen": [2, 6],
    "learnable_sink": brain(8),
    "atten_mask": MASK,
    "sparse_mode": 3,
}
_TRAINED = half(1, 8, 256, 256)
OF_TRAINING: Given = {
    "query": _TRAINED,
    "key": _TRAINED,
    "value": _TRAINED,
    "head_num": 8,
    "input_layout": "BNSD",
    "pse": half(1, 8, 256, 256),
}


@pytest.mark.parametrize(
    ("operator", "given"),
    [
        (FIRST, OF_FIRST),
        (FIRST, OF_FIRST | {"input_layout": "BNSD_BSND", "pse_shift": half(1, 8, 164, 1024)}),
        (FIRST, OF_FIRST | {"atten_mask": empty(164, 1024, dtype=torch.bool)}),
        (FIRST, OF_FIRST | {"quant_scale2": empty(8, 128), "quant_offset2": empty(8, 128)}),
        (FIRST, PAGED),
        # Of one query token the mode has no effect.
        (FIRST, PAGED | {"sparse_mode": 3}),
        (FIRST, SEVERAL),
        (FIRST, LATENTS_OF_FIRST),
        (FIRST, INT8_KEYS),
        (SECOND, OF_SECOND),
        (SECOND, LATENTS_OF_SECOND),
        (SECOND, FLAT),
        (SECOND, INT8_LATENTS),
        (SECOND, INT8_KEYS_OF_SECOND),
        (SECOND, SINKS),
        (PROMPT, OF_PROMPT),
        (PROMPT, OF_PROMPT | {"pse_shift": half(1, 8, 164, 1024), "atten_mask": MASK, "sparse_mode": 2}),
        (TRAINING, OF_TRAINING),
        (
            TRAINING,
            OF_TRAINING | {"atten_mask": MASK, "sparse_mode": 4, "pre_tockens": 9, "next_tockens": -3},
        ),
    ],
)
def test_what_the_documents_describe_passes(operator: str, given: Given) -> None:
    held(operator, **given)


@pytest.mark.parametrize(
    ("operator", "given", "changed", "said"),
    [
        (FIRST, OF_FIRST, {"actual_seq_lengths": [165]}, "has 165, S of query is 164"),
        (FIRST, OF_FIRST, {"actual_seq_lengths_kv": [1025]}, "has 1025, S of key is 1024"),
        (FIRST, OF_FIRST, {"num_heads": 16}, "num_heads says 16"),
        (FIRST, OF_FIRST, {"sparse_mode": 1}, "mask of the mode of all"),
        (FIRST, OF_FIRST, {"atten_mask": empty(163, 1024)}, "dimension -2 of atten_mask is 163"),
        (FIRST, OF_FIRST, {"pse_shift": half(1, 8, 164, 1023)}, "a shift for each key"),
        (FIRST, OF_FIRST, {"pse_shift": brain(1, 8, 164, 1024)}, "queries of a shift in bfloat16"),
        (FIRST, OF_FIRST, {"quant_scale2": empty(127)}, "demanded are 1 or 1024"),
        (FIRST, OF_FIRST, {"quant_scale2": brain(1)}, "dtype of the scale of results of other queries"),
        (FIRST, PAGED, {"input_layout": "BNSD_BSND"}, "number of heads of queries of a batch"),
        (FIRST, PAGED, {"inner_precise": 2}, "kinds of precision of one token"),
        (FIRST, PAGED, {"actual_seq_lengths_kv": [3, 4], "block_table": table(1, 4)}, "each of a batch"),
        (FIRST, PAGED, {"key": half(16, 8, 128, 128), "value": half(16, 8, 128, 128)}, "heads behind tokens"),
        (FIRST, SEVERAL, {"block_size": 16}, "at least 128"),
        (FIRST, SEVERAL, {"query": half(2, 4, 512, 16), "num_heads": 512}, "num_heads has 512"),
        (FIRST, SEVERAL, {"query": half(2, 4, 256, 256), "num_heads": 256}, "NDH of query is 65536"),
        (FIRST, LATENTS_OF_FIRST, {"input_layout": "BSND_NBSD"}, "layouts"),
        (FIRST, LATENTS_OF_FIRST, {"block_size": 64}, "documented are 16, 128"),
        (FIRST, LATENTS_OF_FIRST, {"atten_mask": MASK[None]}, "no mask of one latent"),
        (FIRST, INT8_KEYS, {"value_antiquant_mode": 2}, "documented are 0, 1"),
        (FIRST, INT8_KEYS, {"key_antiquant_scale": half(8, 1, 128)}, "one dtype is demanded"),
        (FIRST, INT8_KEYS, {"value_antiquant_scale": None}, "scales of keys and values together"),
        (SECOND, LATENTS_OF_SECOND, {"sparse_mode": 3, "atten_mask": MASK}, "masks of one latent"),
        (SECOND, LATENTS_OF_SECOND, {"pse_shift": brain(2, 32, 1, 512)}, "what latents go without"),
        (SECOND, INT8_LATENTS, {"dequant_scale_key": None, "dequant_scale_value": None}, "dequant_scale_key"),
        (SECOND, INT8_LATENTS, {"query_quant_mode": 0}, "documented are 3"),
        (SECOND, INT8_KEYS_OF_SECOND, {"block_size": 256}, "documented are 128, 512"),
        (SECOND, INT8_KEYS_OF_SECOND, {"inner_precise": 0}, "precision in parts"),
        (SECOND, SINKS, {"learnable_sink": brain(7)}, "a sink for each head"),
        (SECOND, SINKS, {"sparse_mode": 4, "pre_tokens": 1, "next_tokens": -2}, "sum up to -1"),
        (PROMPT, OF_PROMPT, {"sparse_mode": 3}, "atten_mask is not given"),
        (PROMPT, OF_PROMPT, {"actual_seq_lengths": [1, 2], "query": half(3, 8, 164, 128)}, "2 entries"),
        (TRAINING, OF_TRAINING, {"softmax_layout": "TND"}, "no layout of sums"),
        (TRAINING, OF_TRAINING, {"atten_mask": MASK, "sparse_mode": 8}, "no shift in"),
        (
            TRAINING,
            OF_TRAINING,
            {"atten_mask": MASK, "sparse_mode": 4, "pre_tockens": 2, "next_tockens": -3},
            "a band is not empty",
        ),
    ],
)
def test_what_they_exclude_is_refused(operator: str, given: Given, changed: Given, said: str) -> None:
    with pytest.raises(ConstraintError, match=said):
        held(operator, **(given | changed))
