"""Packed attention without a cache: what ``torch_npu/_op_plugin_docs.py`` says of ``npu_fused_infer_attention_score``
and its second version in TND layout without page attention, with rotated parts where D is not 512, and without.

Literally, a request's queries have to be fewer than its keys under the causal mask; its own prompt is as many.
The mask is defined for both, and the real plugin calls it so; held to is that they are not more. The first version's
document gives D 192 for all of TND, which is what rotated parts make of 128: held to is what both say of Q_S above 1.
A sequence without keys gets zeros, and a log-sum-exp of minus infinity.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from torch_npu_sim.constraints import HALF, contiguous, dtype, rank, require, same_dtype, tolerated
from torch_npu_sim.softmax import (
    BAND,
    RIGHT_DOWN_CAUSAL,
    check_mask,
    check_triangle,
    softmax_attention,
    spans,
)


@dataclass(frozen=True)
class UnpagedCall:
    """A call of either version whose keys do not lie in a cache."""

    operator: str
    query: torch.Tensor
    key: torch.Tensor
    value: torch.Tensor
    query_rope: torch.Tensor | None
    key_rope: torch.Tensor | None
    query_ends: Sequence[int]
    key_ends: Sequence[int]
    mask: torch.Tensor | None
    scale: float
    sparse_mode: int
    before: int
    sink: torch.Tensor | None
    with_lse: bool

    @property
    def causal(self) -> bool:
        """Return whether a token sees none after it."""
        return self.sparse_mode in (RIGHT_DOWN_CAUSAL, BAND)

    @property
    def result_shape(self) -> tuple[int, int, int]:
        """Return the shape of the attention, which is as wide as the values."""
        return self.query.shape[0], self.query.shape[1], self.value.shape[2]


def checked(call: UnpagedCall, heads: int, kv_heads: int, after: int) -> UnpagedCall:
    """Return the call, held to what can be told without values of tensors."""
    operator, query, key, value = call.operator, call.query, call.key, call.value
    inputs = {"query": query, "key": key, "value": value, "query_rope": call.query_rope, "key_rope": call.key_rope}
    if not tolerated(operator, "strided inputs"):
        contiguous(operator, **inputs)
    rank(operator, range(3, 4), **inputs)
    if call.query_rope is not None or call.key_rope is not None:
        _check_rotated(call)
    else:
        dtype(operator, HALF, **inputs)
        size = query.shape[-1]
        require(size % 16 == 0 and size <= 512, operator, "D must be a multiple of 16, at most 512")
        require(key.shape == value.shape, operator, "key and value must have one shape")
        require(key.shape[-1] == size, operator, "query and key must agree in D")
    same_dtype(operator, **inputs)
    require(query.shape[1] == heads, operator, f"query has {query.shape[1]} heads, num_query_heads is {heads}")
    require(key.shape[1] == kv_heads, operator, f"key has {key.shape[1]} heads, num_key_value_heads is {kv_heads}")
    fits = heads % kv_heads == 0 and heads // kv_heads <= 64 and heads <= 256
    require(fits, operator, "N must be at most 256, a multiple of the kv heads and at most 64 times as many")
    require(max(len(query), len(key)) <= 1 << 20, operator, "T must be at most 1048576")
    sequences = len(call.query_ends)
    require(sequences == len(call.key_ends), operator, "queries and keys must be of as many sequences")
    require(sequences <= 4096, operator, f"there must be at most 4096 sequences, got {sequences}")
    check_mask(operator, call.mask, call.sparse_mode, (torch.bool, torch.int8, torch.uint8), (RIGHT_DOWN_CAUSAL, BAND))
    _check_lengths(call, after)
    require(call.sink is None or call.sink.shape == (heads,), operator, "learnable_sink must have one value a head")
    return call


def _check_rotated(call: UnpagedCall) -> None:
    operator, query, key, value = call.operator, call.query, call.key, call.value
    if call.query_rope is None or call.key_rope is None:
        require(False, operator, "query_rope and key_rope go together")
        return
    dtype(operator, (torch.bfloat16,), query=query, key=key, value=value, query_rope=call.query_rope)
    widths = (query.shape[-1], key.shape[-1], value.shape[-1])
    require(widths == (128, 128, 128), operator, f"with query_rope D is 128 without page attention, got {widths}")
    rope = (call.query_rope.shape[-1], call.key_rope.shape[-1])
    require(rope == (64, 64), operator, f"query_rope and key_rope are 64 wide, got {rope}")
    require(call.query_rope.shape[:-1] == query.shape[:-1], operator, "query_rope must be shaped as query but in D")
    require(call.key_rope.shape[:-1] == key.shape[:-1], operator, "key_rope must be shaped as key but in D")
    require(key.shape == value.shape, operator, "key and value must have one shape")


def _check_lengths(call: UnpagedCall, after: int) -> None:
    if call.sparse_mode == BAND:
        require(
            call.before >= 0, call.operator, f"with sparse_mode 4 pre_tokens must not be negative, got {call.before}"
        )
        if after != 0:
            raise NotImplementedError(f"the reference implementation of {call.operator} supports next_tokens 0 alone")
    for queries, keys in _spans(call):
        empty = queries[1] == queries[0] or keys[1] == keys[0]
        if empty and tolerated(call.operator, "an empty sequence"):
            continue
        require(not empty, call.operator, "no sequence may be empty")
        if call.causal:
            enough = keys[1] - keys[0] >= queries[1] - queries[0]
            require(
                enough, call.operator, f"with sparse_mode {call.sparse_mode} a sequence must have a key for each query"
            )


def _spans(call: UnpagedCall) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Return the (start, end) of the queries and of the keys of every sequence."""
    queries = spans(call.operator, "actual_seq_qlen", call.query_ends, len(call.query))
    keys = spans(call.operator, "actual_seq_kvlen", call.key_ends, len(call.key))
    return list(zip(queries, keys, strict=True))


def computed(call: UnpagedCall) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the attention of the call and its log-sum-exp."""
    check_triangle(call.operator, call.mask)
    output = call.query.new_zeros(call.result_shape)
    lse = call.query.new_full((*call.query.shape[:2], 1), float("-inf"), dtype=torch.float32)
    queries, keys = call.query, call.key
    if call.query_rope is not None and call.key_rope is not None:
        queries, keys = torch.cat((queries, call.query_rope), -1), torch.cat((keys, call.key_rope), -1)
    before = call.before if call.sparse_mode == BAND else None
    for (start, end), (first, last) in _spans(call):
        if start == end or first == last:
            continue
        output[start:end], maximum, total = softmax_attention(
            *(queries[start:end], keys[first:last], call.value[first:last], call.scale, call.causal, before, call.sink)
        )
        lse[start:end, :, 0] = maximum + total.log()
    return output, lse if call.with_lse else call.query.new_zeros(1, dtype=torch.float32)


def faked(call: UnpagedCall) -> tuple[torch.Tensor, torch.Tensor]:
    """Return tensors like the attention of the call and its log-sum-exp."""
    lse = (*call.query.shape[:2], 1) if call.with_lse else (1,)
    return call.query.new_empty(call.result_shape), call.query.new_empty(lse, dtype=torch.float32)
