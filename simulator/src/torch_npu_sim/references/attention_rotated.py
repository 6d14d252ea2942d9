"""Packed attention with rotated parts: what ``torch_npu/_op_plugin_docs.py`` says of
``npu_fused_infer_attention_score_v2`` in TND layout without page attention, where D is not 512.

Literally, a request's queries have to be fewer than its keys under the causal mask; its own prompt is as many.
The mask is defined for both, and the real plugin calls it so; held to is that they are not more.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from torch_npu_sim.constraints import absent, contiguous, dtype, rank, require, same_dtype
from torch_npu_sim.softmax import (
    RIGHT_DOWN_CAUSAL,
    check_mask,
    check_triangle,
    softmax_attention,
    spans,
)

_OPERATOR = "npu_fused_infer_attention_score_v2"


@dataclass(frozen=True)
class RotatedCall:
    """A call with rotated parts whose keys do not lie in a cache."""

    query: torch.Tensor
    key: torch.Tensor
    value: torch.Tensor
    query_rope: torch.Tensor
    key_rope: torch.Tensor
    query_ends: Sequence[int]
    key_ends: Sequence[int]
    mask: torch.Tensor | None
    scale: float
    sparse_mode: int
    with_lse: bool


def called(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    *,
    query_rope: torch.Tensor,
    key_rope: torch.Tensor | None = None,
    atten_mask: torch.Tensor | None = None,
    actual_seq_qlen: Sequence[int] | None = None,
    actual_seq_kvlen: Sequence[int] | None = None,
    num_query_heads: int = 1,
    num_key_value_heads: int = 0,
    softmax_scale: float = 1.0,
    pre_tokens: int = 2147483647,
    next_tokens: int = 2147483647,
    input_layout: str = "BSH",
    sparse_mode: int = 0,
    block_size: int = 0,
    query_quant_mode: int = 0,
    key_quant_mode: int = 0,
    value_quant_mode: int = 0,
    inner_precise: int = 0,
    return_softmax_lse: bool = False,
    **others: torch.Tensor | int | None,
) -> RotatedCall:
    """Return the call by the operator's schema, held to what can be told without values of tensors."""
    absent(_OPERATOR, **others)
    if input_layout != "TND":
        raise NotImplementedError(f"the reference implementation of {_OPERATOR} supports input_layout TND alone")
    if key_rope is None or actual_seq_qlen is None or actual_seq_kvlen is None:
        require(False, _OPERATOR, "TND with query_rope demands key_rope and the ends of queries and keys")
        raise AssertionError
    call = RotatedCall(
        *(query, key, value, query_rope, key_rope, actual_seq_qlen, actual_seq_kvlen, atten_mask),
        *(softmax_scale, sparse_mode, return_softmax_lse),
    )
    _check(call, num_query_heads, num_key_value_heads or num_query_heads)
    return call


def _check(call: RotatedCall, heads: int, kv_heads: int) -> None:
    query, key, value = call.query, call.key, call.value
    inputs = {"query": query, "key": key, "value": value, "query_rope": call.query_rope, "key_rope": call.key_rope}
    dtype(_OPERATOR, (torch.bfloat16,), **inputs)
    same_dtype(_OPERATOR, **inputs)
    contiguous(_OPERATOR, **inputs)
    rank(_OPERATOR, range(3, 4), **inputs)
    widths = (query.shape[-1], key.shape[-1], value.shape[-1])
    require(widths == (128, 128, 128), _OPERATOR, f"with query_rope D is 128 without page attention, got {widths}")
    rope = (call.query_rope.shape[-1], call.key_rope.shape[-1])
    require(rope == (64, 64), _OPERATOR, f"query_rope and key_rope are 64 wide, got {rope}")
    require(call.query_rope.shape[:-1] == query.shape[:-1], _OPERATOR, "query_rope must be shaped as query but in D")
    require(call.key_rope.shape[:-1] == key.shape[:-1], _OPERATOR, "key_rope must be shaped as key but in D")
    require(key.shape == value.shape, _OPERATOR, "key and value must have one shape")
    require(query.shape[1] == heads, _OPERATOR, f"query has {query.shape[1]} heads, num_query_heads is {heads}")
    require(key.shape[1] == kv_heads, _OPERATOR, f"key has {key.shape[1]} heads, num_key_value_heads is {kv_heads}")
    fits = heads % kv_heads == 0 and heads // kv_heads <= 64 and heads <= 256
    require(fits, _OPERATOR, "N must be at most 256, a multiple of the kv heads and at most 64 times as many")
    require(max(len(query), len(key)) <= 1 << 20, _OPERATOR, "T must be at most 1048576")
    sequences = len(call.query_ends)
    require(sequences == len(call.key_ends), _OPERATOR, "queries and keys must be of as many sequences")
    require(sequences <= 4096, _OPERATOR, f"there must be at most 4096 sequences, got {sequences}")
    check_mask(_OPERATOR, call.mask, call.sparse_mode, (torch.bool, torch.int8, torch.uint8))
    for queries, keys in _spans(call):
        require(queries[1] > queries[0] and keys[1] > keys[0], _OPERATOR, "no sequence may be empty")
        if call.sparse_mode == RIGHT_DOWN_CAUSAL:
            enough = keys[1] - keys[0] >= queries[1] - queries[0]
            require(enough, _OPERATOR, "with sparse_mode 3 a sequence must have a key for each query")


def _spans(call: RotatedCall) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Return the (start, end) of the queries and of the keys of every sequence."""
    queries = spans(_OPERATOR, "actual_seq_qlen", call.query_ends, len(call.query))
    keys = spans(_OPERATOR, "actual_seq_kvlen", call.key_ends, len(call.key))
    return list(zip(queries, keys, strict=True))


def computed(call: RotatedCall) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the attention of the call and its log-sum-exp."""
    check_triangle(_OPERATOR, call.mask)
    output, lse = torch.zeros_like(call.query), call.query.new_zeros(*call.query.shape[:2], 1, dtype=torch.float32)
    queries = torch.cat((call.query, call.query_rope), -1)
    keys = torch.cat((call.key, call.key_rope), -1)
    causal = call.sparse_mode == RIGHT_DOWN_CAUSAL
    for (start, end), (first, last) in _spans(call):
        output[start:end], maximum, total = softmax_attention(
            queries[start:end], keys[first:last], call.value[first:last], call.scale, causal
        )
        lse[start:end, :, 0] = maximum + total.log()
    return output, lse if call.with_lse else call.query.new_zeros(1, dtype=torch.float32)


def faked(call: RotatedCall) -> tuple[torch.Tensor, torch.Tensor]:
    """Return tensors like the attention of the call and its log-sum-exp."""
    lse = (*call.query.shape[:2], 1) if call.with_lse else (1,)
    return call.query.new_empty(call.query.shape), call.query.new_empty(lse, dtype=torch.float32)
