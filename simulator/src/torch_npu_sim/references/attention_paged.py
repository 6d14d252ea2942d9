"""Fused attention: what ``torch_npu/_op_plugin_docs.py`` says of the operators' constraints.

Of ``npu_fused_infer_attention_score`` and its second version, packed queries (TND) over a paged cache are
computed; of the second also those with rotated parts and no cache (see ``attention_rotated``). Their documentation
is of two minds about the former: the parameter ``input_layout`` names TND as without page attention, the section
on page attention gives the shapes of the cache for TND. Held to is the latter. That the cache must have as many
blocks as all requests together is not: requests share blocks.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from torch_npu_sim.constraints import HALF, absent, contiguous, dtype, rank, require, same_dtype
from torch_npu_sim.operators import fake, reference
from torch_npu_sim.references import attention_rotated
from torch_npu_sim.softmax import (
    BAND,
    RIGHT_DOWN_CAUSAL,
    check_mask,
    check_triangle,
    softmax_attention,
    spans,
)

_PAGED = "npu_fused_infer_attention_score"
_PAGED_V2 = "npu_fused_infer_attention_score_v2"


@dataclass(frozen=True)
class _Call:
    """A call of either version of the paged operator, in the terms of neither."""

    operator: str
    query: torch.Tensor
    key: torch.Tensor
    value: torch.Tensor
    query_rope: torch.Tensor | None
    key_rope: torch.Tensor | None
    ends: Sequence[int]
    lengths: Sequence[int]
    block_table: torch.Tensor
    mask: torch.Tensor | None
    heads: int
    kv_heads: int
    scale: float
    sparse_mode: int
    block_size: int
    with_lse: bool
    #: What the version's documentation says of calls with query_rope and key_rope.
    latent_heads: tuple[int, ...]
    most_tokens: int
    #: How many tokens before itself and after itself a token sees, in sparse mode 4.
    before: int
    after: int

    def spans(self) -> list[tuple[int, int]]:
        """Return the (start, end) of the queries of each request."""
        return list(spans(self.operator, "query lengths", self.ends, self.query.shape[0]))

    def longest(self) -> int:
        """Return the most query tokens of a request."""
        return max((end - start for start, end in self.spans()), default=0)


def _check(call: _Call) -> None:
    """Demand what the documentation does and can be told without values of tensors."""
    operator, query, key, value = call.operator, call.query, call.key, call.value
    inputs = {"query": query, "key": key, "value": value, "query_rope": call.query_rope, "key_rope": call.key_rope}
    dtype(operator, HALF, **inputs)
    same_dtype(operator, **inputs)
    contiguous(operator, **inputs)
    dtype(operator, (torch.int32,), block_table=call.block_table)
    rank(operator, range(3, 4), query=query, key=key, value=value)
    rank(operator, range(2, 3), block_table=call.block_table)
    heads, size = query.shape[1:]
    require(query.shape[0] <= call.most_tokens, operator, f"T must be at most {call.most_tokens}")
    require(heads == call.heads, operator, f"query has {heads} heads, num_heads is {call.heads}")
    require(heads <= 256, operator, f"N must be at most 256, got {heads}")
    require(heads % call.kv_heads == 0, operator, "num_heads must be a multiple of the kv heads")
    require(key.shape == value.shape, operator, "key and value must have one shape")
    block_size = call.block_size
    require(key.shape[1] == block_size, operator, f"blocks have {key.shape[1]} tokens, block_size is {block_size}")
    longest = call.longest()
    aligned = block_size % (128 if longest > 1 else 16) == 0
    require(aligned and 0 < block_size <= 512, operator, f"block_size {block_size} is not supported")
    require(size % 16 == 0 and size <= 512, operator, "D must be a multiple of 16, at most 512")
    require(key.shape[2] == call.kv_heads * size, operator, "the cache must be as wide as kv heads * D")
    require(key.shape[2] <= 65535, operator, "the cache's heads * D must be below 65536")
    requests = len(call.ends)
    matches = call.block_table.shape[0] == requests == len(call.lengths)
    require(matches, operator, "block_table must have one row a request")
    blocks = -(-max(call.lengths, default=0) // block_size)
    require(call.block_table.shape[1] >= blocks, operator, f"block_table must have at least {blocks} columns")
    require(all(length >= 0 for length in call.lengths), operator, "the lengths of the keys must not be negative")
    check_mask(
        operator,
        call.mask,
        call.sparse_mode,
        (torch.bool, torch.int8, torch.uint8),
        (RIGHT_DOWN_CAUSAL, BAND),
    )
    if call.sparse_mode == BAND:
        _check_band(call)
    if call.query_rope is not None and call.key_rope is not None:
        _check_latent(call, call.query_rope, call.key_rope, longest)
    else:
        require(call.query_rope is call.key_rope is None, operator, "query_rope and key_rope go together")
        ratio = heads // call.kv_heads
        require(ratio <= 64, operator, f"there must be at most 64 heads a kv head, got {ratio}")


def _check_band(call: _Call) -> None:
    require(call.before >= 0, call.operator, f"with sparse_mode 4 pre_tokens must not be negative, got {call.before}")
    if call.after != 0:
        raise NotImplementedError(f"the reference implementation of {call.operator} supports next_tokens 0 alone")
    for (start, end), length in zip(call.spans(), call.lengths, strict=True):
        require(length >= end - start, call.operator, "with sparse_mode 4 a request must have a key for each query")


def _check_latent(call: _Call, query_rope: torch.Tensor, key_rope: torch.Tensor, longest: int) -> None:
    operator, heads, size = call.operator, call.heads, call.query.shape[-1]
    require(longest <= 16, operator, f"with query_rope a request has at most 16 query tokens, got {longest}")
    require(heads in call.latent_heads, operator, f"with query_rope {heads} heads are not supported")
    require(call.kv_heads == 1, operator, "with query_rope there is one kv head")
    require(size == 512, operator, f"with query_rope D is 512, got {size}")
    rope = (query_rope.shape[-1], key_rope.shape[-1])
    require(rope == (64, 64), operator, f"query_rope and key_rope are 64 wide, got {rope}")
    require(query_rope.shape[:-1] == call.query.shape[:-1], operator, "query_rope must be shaped as query but in D")
    require(key_rope.shape[:-1] == call.key.shape[:-1], operator, "key_rope must be shaped as key but in D")
    require(call.block_size in (16, 128), operator, "with query_rope block_size is 16 or 128")
    masked = call.sparse_mode == RIGHT_DOWN_CAUSAL
    if longest == 1:
        require(not masked, operator, "with query_rope and one query token a request, sparse_mode is 0 without a mask")
    elif longest > 1:
        require(masked, operator, "with query_rope and several query tokens a request, sparse_mode is 3 with a mask")


def _computed(call: _Call) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the attention of the call and its log-sum-exp."""
    _check(call)
    check_triangle(call.operator, call.mask)
    query, causal = call.query, call.sparse_mode in (RIGHT_DOWN_CAUSAL, BAND)
    output = torch.zeros_like(query)
    lse = query.new_zeros(query.shape[0], call.heads, 1, dtype=torch.float32)
    known = int(call.key.shape[0])
    for row, (start, end) in enumerate(call.spans()):
        length = call.lengths[row]
        if start == end or length == 0:
            continue
        used = call.block_table[row, : -(-length // call.block_size)].long()
        valid = bool(((used >= 0) & (used < known)).all())
        require(valid, call.operator, f"block_table must hold blocks in [0, {known - 1}]")
        keys, values = (t[used].reshape(-1, call.kv_heads, query.shape[-1])[:length] for t in (call.key, call.value))
        queries = query[start:end]
        if call.query_rope is not None and call.key_rope is not None:
            rope = call.key_rope[used].reshape(-1, call.kv_heads, call.query_rope.shape[-1])[:length]
            queries = torch.cat((queries, call.query_rope[start:end]), -1)
            keys = torch.cat((keys, rope), -1)
        # pre_tokens has no effect on a request of one query token.
        before = call.before if call.sparse_mode == BAND and end - start > 1 else None
        output[start:end], maximum, total = softmax_attention(queries, keys, values, call.scale, causal, before)
        lse[start:end, :, 0] = maximum + total.log()
    return output, lse if call.with_lse else query.new_zeros(1, dtype=torch.float32)


def _faked(call: _Call) -> tuple[torch.Tensor, torch.Tensor]:
    """Return tensors like the attention of the call and its log-sum-exp."""
    _check(call)
    lse = (call.query.shape[0], call.heads, 1) if call.with_lse else (1,)
    return call.query.new_empty(call.query.shape), call.query.new_empty(lse, dtype=torch.float32)


def _supported(
    operator: str,
    layout: str,
    block_table: torch.Tensor | None,
    ends: Sequence[int] | None,
    lengths: Sequence[int] | None,
) -> tuple[torch.Tensor, Sequence[int], Sequence[int]]:
    """Return the arguments that a paged call of packed queries cannot be without."""
    if layout != "TND" or block_table is None:
        raise NotImplementedError(
            f"the reference implementation of {operator} supports input_layout TND with a block_table alone"
        )
    if ends is None or lengths is None:
        require(False, operator, "TND with a block_table demands the lengths of queries and keys")
        raise AssertionError
    return block_table, ends, lengths


def _call(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    *,
    atten_mask: torch.Tensor | None = None,
    actual_seq_lengths: Sequence[int] | None = None,
    actual_seq_lengths_kv: Sequence[int] | None = None,
    block_table: torch.Tensor | None = None,
    query_rope: torch.Tensor | None = None,
    key_rope: torch.Tensor | None = None,
    num_heads: int = 1,
    scale: float = 1.0,
    pre_tokens: int = 2147483647,
    next_tokens: int = 2147483647,
    input_layout: str = "BSH",
    num_key_value_heads: int = 0,
    sparse_mode: int = 0,
    inner_precise: int = 0,
    block_size: int = 0,
    antiquant_mode: int = 0,
    key_antiquant_mode: int = 0,
    value_antiquant_mode: int = 0,
    softmax_lse_flag: bool = False,
    **others: torch.Tensor | None,
) -> _Call:
    """Return the call by the first version's schema."""
    absent(_PAGED, **others)
    table, ends, lengths = _supported(_PAGED, input_layout, block_table, actual_seq_lengths, actual_seq_lengths_kv)
    return _Call(
        *(_PAGED, query, key, value, query_rope, key_rope, ends, lengths, table, atten_mask),
        *(num_heads, num_key_value_heads or num_heads, scale, sparse_mode, block_size, softmax_lse_flag),
        latent_heads=(32, 64, 128),
        most_tokens=1 << 16,
        before=pre_tokens,
        after=next_tokens,
    )


def _call_v2(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    *,
    query_rope: torch.Tensor | None = None,
    key_rope: torch.Tensor | None = None,
    atten_mask: torch.Tensor | None = None,
    actual_seq_qlen: Sequence[int] | None = None,
    actual_seq_kvlen: Sequence[int] | None = None,
    block_table: torch.Tensor | None = None,
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
) -> _Call:
    """Return the call by the second version's schema."""
    absent(_PAGED_V2, **others)
    table, ends, lengths = _supported(_PAGED_V2, input_layout, block_table, actual_seq_qlen, actual_seq_kvlen)
    return _Call(
        *(_PAGED_V2, query, key, value, query_rope, key_rope, ends, lengths, table, atten_mask),
        *(num_query_heads, num_key_value_heads or num_query_heads, softmax_scale, sparse_mode, block_size),
        return_softmax_lse,
        latent_heads=(1, 2, 4, 8, 16, 32, 64, 128),
        most_tokens=1 << 20,
        before=pre_tokens,
        after=next_tokens,
    )


@reference(_PAGED)
def npu_fused_infer_attention_score(*arguments: Any, **keywords: Any) -> tuple[torch.Tensor, torch.Tensor]:
    """Return paged attention and, when asked for, its log-sum-exp ([tokens, heads, 1])."""
    return _computed(_call(*arguments, **keywords))


@fake(_PAGED)
def npu_fused_infer_attention_score_fake(*arguments: Any, **keywords: Any) -> tuple[torch.Tensor, torch.Tensor]:
    """Return a tensor like the query, and one like the log-sum-exp."""
    return _faked(_call(*arguments, **keywords))


def _is_rotated(keywords: Mapping[str, Any]) -> bool:
    """Return whether a call of the second version has rotated parts and no cache."""
    return keywords.get("block_table") is None and keywords.get("query_rope") is not None


@reference(_PAGED_V2)
def npu_fused_infer_attention_score_v2(*arguments: Any, **keywords: Any) -> tuple[torch.Tensor, torch.Tensor]:
    """Return attention and, when asked for, its log-sum-exp ([tokens, heads, 1])."""
    if _is_rotated(keywords):
        return attention_rotated.computed(attention_rotated.called(*arguments, **keywords))
    return _computed(_call_v2(*arguments, **keywords))


@fake(_PAGED_V2)
def npu_fused_infer_attention_score_v2_fake(*arguments: Any, **keywords: Any) -> tuple[torch.Tensor, torch.Tensor]:
    """Return a tensor like the query, and one like the log-sum-exp."""
    if _is_rotated(keywords):
        return attention_rotated.faked(attention_rotated.called(*arguments, **keywords))
    return _faked(_call_v2(*arguments, **keywords))
