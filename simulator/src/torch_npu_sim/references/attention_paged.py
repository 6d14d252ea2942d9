"""Fused attention: what ``torch_npu/_op_plugin_docs.py`` says of ``npu_fused_infer_attention_score`` and its second
version, both also with results that are given, and of how much workspace they need.

Computed are queries over a paged cache, packed (TND) or of a batch, here, and packed ones without a cache (see
``attention_unpaged``). The documentation is of two minds about TND over a cache: the parameter ``input_layout`` names
TND as without page attention, the section on page attention gives the shapes of the cache for TND. Held to is the
latter. That the cache must have as many blocks as all requests together is not: requests share blocks.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch

from torch_npu_sim.attention_layouts import (
    LAYOUTS,
    batch_and_length,
    cache_sizes,
    cached_tokens,
    packed,
    unpacked,
)
from torch_npu_sim.constraints import HALF, absent, contiguous, dtype, rank, require, same_dtype, tolerated
from torch_npu_sim.operators import fake, reference
from torch_npu_sim.references import attention_unpaged
from torch_npu_sim.references.attention_unpaged import UnpagedCall
from torch_npu_sim.softmax import (
    BAND,
    RIGHT_DOWN_CAUSAL,
    check_mask,
    check_triangle,
    softmax_attention,
    spans,
)

_FIRST = "npu_fused_infer_attention_score"
_SECOND = "npu_fused_infer_attention_score_v2"

Results = tuple[torch.Tensor, torch.Tensor]


@dataclass(frozen=True)
class _Call:
    """A call of either version, in the terms of neither."""

    operator: str
    query: torch.Tensor
    key: torch.Tensor
    value: torch.Tensor
    query_rope: torch.Tensor | None
    key_rope: torch.Tensor | None
    ends: Sequence[int] | None
    lengths: Sequence[int] | None
    block_table: torch.Tensor | None
    mask: torch.Tensor | None
    heads: int
    kv_heads: int
    scale: float
    sparse_mode: int
    block_size: int
    with_lse: bool
    #: How many tokens before itself and after itself a token sees, in sparse mode 4.
    before: int
    after: int
    layout: str
    sink: torch.Tensor | None
    #: What the version's documentation says of calls with query_rope and key_rope.
    latent_heads: tuple[int, ...]
    most_tokens: int


@dataclass(frozen=True)
class _PagedCall:
    """A call whose queries are packed and whose keys lie in a cache."""

    given: _Call
    ends: Sequence[int]
    lengths: Sequence[int]
    block_table: torch.Tensor

    def spans(self) -> list[tuple[int, int]]:
        """Return the (start, end) of the queries of each request."""
        return list(spans(self.given.operator, "query lengths", self.ends, self.given.query.shape[0]))

    def longest(self) -> int:
        """Return the most query tokens of a request."""
        return max((end - start for start, end in self.spans()), default=0)


def _check(call: _PagedCall) -> None:
    """Demand what the documentation does and can be told without values of tensors."""
    given = call.given
    operator, query, key, value = given.operator, given.query, given.key, given.value
    inputs = {"query": query, "key": key, "value": value, "query_rope": given.query_rope, "key_rope": given.key_rope}
    dtype(operator, HALF, **inputs)
    same_dtype(operator, **inputs)
    if not tolerated(operator, "strided inputs"):
        contiguous(operator, **inputs)
    dtype(operator, (torch.int32,), block_table=call.block_table)
    rank(operator, range(3, 4), query=query)
    rank(operator, range(3, 6), key=key, value=value)
    rank(operator, range(2, 3), block_table=call.block_table)
    heads = query.shape[1]
    require(query.shape[0] <= given.most_tokens, operator, f"T must be at most {given.most_tokens}")
    require(heads == given.heads, operator, f"query has {heads} heads, num_heads is {given.heads}")
    require(heads <= 256, operator, f"N must be at most 256, got {heads}")
    require(heads % given.kv_heads == 0, operator, "num_heads must be a multiple of the kv heads")
    require(given.sink is None or given.sink.shape == (heads,), operator, "learnable_sink must have one value a head")
    _check_cache(call)
    _check_requests(call)
    check_mask(
        operator,
        given.mask,
        given.sparse_mode,
        (torch.bool, torch.int8, torch.uint8),
        (RIGHT_DOWN_CAUSAL, BAND),
    )
    if given.sparse_mode == BAND:
        _check_band(call)
    if given.query_rope is not None and given.key_rope is not None:
        _check_latent(call, given.query_rope, given.key_rope)
    else:
        require(given.query_rope is given.key_rope is None, operator, "query_rope and key_rope go together")
        ratio = heads // given.kv_heads
        require(ratio <= 64, operator, f"there must be at most 64 heads a kv head, got {ratio}")


def _check_cache(call: _PagedCall) -> None:
    given = call.given
    operator, block_size, size = given.operator, given.block_size, given.query.shape[-1]
    require(given.key.shape == given.value.shape, operator, "key and value must have one shape")
    _, tokens, width = cache_sizes(given.key)
    require(tokens == block_size, operator, f"blocks have {tokens} tokens, block_size is {block_size}")
    aligned = block_size % (128 if call.longest() > 1 else 16) == 0
    require(aligned and 0 < block_size <= 512, operator, f"block_size {block_size} is not supported")
    require(size % 16 == 0 and size <= 512, operator, "D must be a multiple of 16, at most 512")
    require(width == given.kv_heads * size, operator, "the cache must be as wide as kv heads * D")
    narrow = given.key.dim() != 3 or width <= 65535
    require(narrow, operator, "the cache's heads * D must be below 65536")


def _check_requests(call: _PagedCall) -> None:
    operator, requests = call.given.operator, len(call.ends)
    rows = call.block_table.shape[0]
    longer = rows > requests and tolerated(operator, "a longer block table")
    matches = (rows == requests or longer) and requests == len(call.lengths)
    require(matches, operator, "block_table must have one row a request")
    blocks = -(-max(call.lengths, default=0) // call.given.block_size)
    require(call.block_table.shape[1] >= blocks, operator, f"block_table must have at least {blocks} columns")
    require(all(length >= 0 for length in call.lengths), operator, "the lengths of the keys must not be negative")


def _check_band(call: _PagedCall) -> None:
    given, operator = call.given, call.given.operator
    require(given.before >= 0, operator, f"with sparse_mode 4 pre_tokens must not be negative, got {given.before}")
    if given.after != 0:
        raise NotImplementedError(f"the reference implementation of {operator} supports next_tokens 0 alone")
    for (start, end), length in zip(call.spans(), call.lengths, strict=True):
        require(length >= end - start, operator, "with sparse_mode 4 a request must have a key for each query")


def _check_latent(call: _PagedCall, query_rope: torch.Tensor, key_rope: torch.Tensor) -> None:
    given, longest = call.given, call.longest()
    operator, heads, size = given.operator, given.heads, given.query.shape[-1]
    require(longest <= 16, operator, f"with query_rope a request has at most 16 query tokens, got {longest}")
    require(heads in given.latent_heads, operator, f"with query_rope {heads} heads are not supported")
    require(given.kv_heads == 1, operator, "with query_rope there is one kv head")
    require(size == 512, operator, f"with query_rope D is 512, got {size}")
    rope = (query_rope.shape[-1], cache_sizes(key_rope)[2])
    require(rope == (64, 64), operator, f"query_rope and key_rope are 64 wide, got {rope}")
    require(query_rope.shape[:-1] == given.query.shape[:-1], operator, "query_rope must be shaped as query but in D")
    alike = cache_sizes(key_rope)[:2] == cache_sizes(given.key)[:2] and key_rope.dim() == given.key.dim()
    require(alike, operator, "key_rope must be shaped as key but in D")
    require(given.block_size in (16, 128), operator, "with query_rope block_size is 16 or 128")
    masked = given.sparse_mode == RIGHT_DOWN_CAUSAL
    if longest == 1:
        require(not masked, operator, "with query_rope and one query token a request, sparse_mode is 0 without a mask")
    elif longest > 1:
        require(masked, operator, "with query_rope and several query tokens a request, sparse_mode is 3 with a mask")


def _computed(call: _PagedCall) -> Results:
    """Return the attention of the call and its log-sum-exp."""
    given = call.given
    check_triangle(given.operator, given.mask)
    query, causal = given.query, given.sparse_mode in (RIGHT_DOWN_CAUSAL, BAND)
    output = torch.zeros_like(query, memory_format=torch.contiguous_format)
    lse = query.new_zeros(query.shape[0], given.heads, 1, dtype=torch.float32)
    known = int(given.key.shape[0])
    for row, (start, end) in enumerate(call.spans()):
        length = call.lengths[row]
        if start == end or length == 0:
            continue
        used = call.block_table[row, : -(-length // given.block_size)].long()
        valid = bool(((used >= 0) & (used < known)).all())
        require(valid, given.operator, f"block_table must hold blocks in [0, {known - 1}]")
        keys, values = (cached_tokens(cache, used, given.kv_heads)[:length] for cache in (given.key, given.value))
        queries = query[start:end]
        if given.query_rope is not None and given.key_rope is not None:
            queries = torch.cat((queries, given.query_rope[start:end]), -1)
            keys = torch.cat((keys, cached_tokens(given.key_rope, used, given.kv_heads)[:length]), -1)
        # pre_tokens has no effect on a request of one query token.
        before = given.before if given.sparse_mode == BAND and end - start > 1 else None
        output[start:end], maximum, total = softmax_attention(
            *(queries, keys, values, given.scale, causal, before, given.sink)
        )
        lse[start:end, :, 0] = maximum + total.log()
    return output, lse if given.with_lse else query.new_zeros(1, dtype=torch.float32)


def _faked(call: _PagedCall) -> Results:
    """Return tensors like the attention of the call and its log-sum-exp."""
    given = call.given
    lse = (given.query.shape[0], given.heads, 1) if given.with_lse else (1,)
    return given.query.new_empty(given.query.shape), given.query.new_empty(lse, dtype=torch.float32)


def _results(
    call: _Call, of_cache: Callable[[_PagedCall], Results], of_none: Callable[[UnpagedCall], Results]
) -> Results:
    """Return what one of the functions does with the call, held to its documentation."""
    operator = call.operator
    if call.layout not in LAYOUTS or (call.layout != "TND" and call.block_table is None):
        raise NotImplementedError(
            f"the reference implementation of {operator} does not support input_layout {call.layout}"
            f"{'' if call.block_table is not None else ' without a block_table'}"
        )
    if call.layout != "TND":
        return _of_batch(call, of_cache)
    if call.ends is None or call.lengths is None:
        require(False, operator, "TND demands the lengths of queries and keys")
        raise AssertionError
    if call.block_table is not None:
        paged = _PagedCall(call, call.ends, call.lengths, call.block_table)
        _check(paged)
        return of_cache(paged)
    unpaged = UnpagedCall(
        *(operator, call.query, call.key, call.value, call.query_rope, call.key_rope, call.ends, call.lengths),
        *(call.mask, call.scale, call.sparse_mode, call.before, call.sink, call.with_lse),
    )
    return of_none(attention_unpaged.checked(unpaged, call.heads, call.kv_heads, call.after))


def _of_batch(call: _Call, of_cache: Callable[[_PagedCall], Results]) -> Results:
    """Return the results of queries that have a batch dimension, in the layout asked for."""
    assert call.block_table is not None
    if call.lengths is None:
        require(False, call.operator, "page attention demands the lengths of keys")
        raise AssertionError
    batch, length = batch_and_length(call.query, call.layout)
    if call.ends is not None and list(call.ends) != [length] * batch:
        raise NotImplementedError(f"the reference implementation of {call.operator} supports full queries alone")
    rope = None if call.query_rope is None else packed(call.query_rope, call.layout, call.heads)
    rows = replace(call, query=packed(call.query, call.layout, call.heads), query_rope=rope)
    ends = [length * (number + 1) for number in range(batch)]
    paged = _PagedCall(rows, ends, call.lengths, call.block_table)
    _check(paged)
    output, lse = of_cache(paged)
    if call.with_lse:
        lse = lse.view(batch, length, call.heads, 1).transpose(1, 2).contiguous()
    return unpacked(output, call.layout, batch, length), lse


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
    absent(_FIRST, **others)
    return _Call(
        *(_FIRST, query, key, value, query_rope, key_rope, actual_seq_lengths, actual_seq_lengths_kv, block_table),
        *(atten_mask, num_heads, num_key_value_heads or num_heads, scale, sparse_mode, block_size, softmax_lse_flag),
        *(pre_tokens, next_tokens, input_layout, None),
        latent_heads=(32, 64, 128),
        most_tokens=1 << 16,
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
    learnable_sink: torch.Tensor | None = None,
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
    absent(_SECOND, **others)
    return _Call(
        *(_SECOND, query, key, value, query_rope, key_rope, actual_seq_qlen, actual_seq_kvlen, block_table),
        *(atten_mask, num_query_heads, num_key_value_heads or num_query_heads, softmax_scale, sparse_mode, block_size),
        *(return_softmax_lse, pre_tokens, next_tokens, input_layout, learnable_sink),
        latent_heads=(1, 2, 4, 8, 16, 32, 64, 128),
        most_tokens=1 << 20,
    )


def _register(name: str, called: Callable[..., _Call]) -> None:
    """Register one version: its results, results that are given, and its workspace."""

    def attention(*arguments: Any, **keywords: Any) -> Results:
        return _results(called(*arguments, **keywords), _computed, attention_unpaged.computed)

    def attention_fake(*arguments: Any, **keywords: Any) -> Results:
        return _results(called(*arguments, **keywords), _faked, attention_unpaged.faked)

    def into(made: Callable[..., Results]) -> Callable[..., Results]:
        def attention_out(
            *arguments: Any,
            attention_out: torch.Tensor,
            softmax_lse: torch.Tensor,
            workspace: torch.Tensor | None = None,
            **keywords: Any,
        ) -> Results:
            output, lse = made(*arguments, **keywords)
            fits = attention_out.shape == output.shape and attention_out.dtype == output.dtype
            require(fits, name, f"attention_out must be {tuple(output.shape)} of {output.dtype}")
            attention_out.copy_(output)
            # Without a log-sum-exp its tensor may have any shape and dtype: it is not written.
            if keywords.get("softmax_lse_flag") or keywords.get("return_softmax_lse"):
                softmax_lse.copy_(lse)
            return attention_out, softmax_lse

        return attention_out

    def workspace(*arguments: Any, **keywords: Any) -> torch.Tensor:
        output, _ = attention_fake(*arguments, **keywords)
        return output.new_zeros(_WORKSPACE, dtype=torch.uint8)

    reference(name)(attention)
    fake(name)(attention_fake)
    reference(f"{name}.out")(into(attention))
    fake(f"{name}.out")(into(attention_fake))
    reference(f"_{name}_get_max_workspace")(workspace)
    fake(f"_{name}_get_max_workspace")(workspace)


#: Bytes of a workspace, which the simulated device does not use.
_WORKSPACE = 512

_register(_FIRST, _call)
_register(_SECOND, _call_v2)
