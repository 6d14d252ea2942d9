"""Fused attention."""

from collections.abc import Iterator, Sequence

import torch

from ascend_backend.simulation.constraints import (
    FLOAT,
    HALF,
    absent,
    contiguous,
    dtype,
    rank,
    require,
    same_dtype,
)
from ascend_backend.simulation.operators import reference

_MASK = (2048, 2048)
_RIGHT_DOWN_CAUSAL = 3


def _softmax_attention(
    query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, scale: float, causal: bool
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return attention ([tokens, heads, size]), the maximum of each row and the sum ([tokens, heads])."""
    group = query.shape[1] // key.shape[1]
    key = key.repeat_interleave(group, 1).float()
    value = value.repeat_interleave(group, 1).float()
    scores = torch.einsum("qhd,khd->qhk", query.float(), key) * scale
    if causal:
        queries, keys = query.shape[0], key.shape[0]
        hidden = torch.ones(queries, keys, dtype=torch.bool).triu_(keys - queries + 1)
        scores.masked_fill_(hidden[:, None], float("-inf"))
    maximum = scores.amax(-1)
    weights = torch.exp(scores - maximum[..., None])
    total = weights.sum(-1)
    output = torch.einsum("qhk,khd->qhd", weights / total[..., None], value)
    return output.to(query.dtype), maximum, total


def _spans(operator: str, name: str, ends: Sequence[int], tokens: int) -> Iterator[tuple[int, int]]:
    """Yield the (start, end) of each sequence; ``ends`` are sums of lengths."""
    require(list(ends) == sorted(ends) and all(e >= 0 for e in ends), operator, f"{name} must not decrease")
    require(not ends or ends[-1] <= tokens, operator, f"{name} ends beyond the {tokens} tokens")
    yield from zip([0, *ends[:-1]], ends, strict=True)


def _check_mask(operator: str, mask: torch.Tensor | None, sparse_mode: int, dtypes: tuple[torch.dtype, ...]) -> None:
    if sparse_mode == 0:
        absent(operator, atten_mask=mask)
        return
    if sparse_mode != _RIGHT_DOWN_CAUSAL:
        raise NotImplementedError(
            f"the reference implementation of {operator} does not support sparse_mode {sparse_mode}"
        )
    if mask is None or tuple(mask.shape[-2:]) != _MASK or mask.numel() != _MASK[0] * _MASK[1]:
        require(False, operator, "sparse_mode 3 demands a 2048 x 2048 atten_mask")
        return
    dtype(operator, dtypes, atten_mask=mask)
    contiguous(operator, atten_mask=mask)
    corner = mask.reshape(_MASK)[:2, :2].bool().tolist()
    require(corner == [[False, True], [False, False]], operator, "atten_mask must hide what lies above the diagonal")


def _paged(
    operator: str,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    query_rope: torch.Tensor | None,
    key_rope: torch.Tensor | None,
    *,
    ends: Sequence[int] | None,
    lengths: Sequence[int] | None,
    block_table: torch.Tensor | None,
    mask: torch.Tensor | None,
    heads: int,
    kv_heads: int,
    scale: float,
    layout: str,
    sparse_mode: int,
    block_size: int,
    with_lse: bool,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Compute TND queries over a cache of the shape [blocks, block_size, kv_heads * size]."""
    if layout != "TND" or block_table is None:
        raise NotImplementedError(
            f"the reference implementation of {operator} supports input_layout TND with a block_table alone"
        )
    if ends is None or lengths is None:
        require(False, operator, "TND with a block_table demands the lengths of queries and keys")
        raise AssertionError
    kv_heads = kv_heads or heads
    dtype(operator, HALF, query=query, key=key, value=value, query_rope=query_rope, key_rope=key_rope)
    same_dtype(operator, query=query, key=key, value=value, query_rope=query_rope, key_rope=key_rope)
    contiguous(operator, query=query, key=key, value=value, query_rope=query_rope, key_rope=key_rope)
    dtype(operator, (torch.int32,), block_table=block_table)
    rank(operator, range(3, 4), query=query, key=key, value=value)
    rank(operator, range(2, 3), block_table=block_table)
    require(query.shape[1] == heads, operator, f"query has {query.shape[1]} heads, num_heads is {heads}")
    require(heads % kv_heads == 0 and heads // kv_heads <= 128, operator, "num_heads must be a multiple of the kv heads")
    require(key.shape == value.shape, operator, "key and value must have one shape")
    require(key.shape[1] == block_size, operator, f"blocks have {key.shape[1]} tokens, block_size is {block_size}")
    longest = max((end - start for start, end in _spans(operator, "query lengths", ends, len(query))), default=0)
    aligned = block_size % (128 if longest > 1 else 16) == 0
    require(aligned and 0 < block_size <= 512, operator, f"block_size {block_size} is not supported")
    require(query.shape[-1] % 16 == 0 and query.shape[-1] <= 512, operator, "D must be a multiple of 16, at most 512")
    require(key.shape[-1] == kv_heads * query.shape[-1], operator, "the cache must be as wide as kv heads * D")
    require(key.shape[-1] <= 65535, operator, "the cache's heads * D must be below 65536")
    require(block_table.shape[0] == len(ends) == len(lengths), operator, "block_table must have one row a request")
    blocks = -(-max(lengths, default=0) // block_size)
    require(block_table.shape[1] >= blocks, operator, f"block_table must have at least {blocks} columns")
    _check_mask(operator, mask, sparse_mode, (torch.bool, torch.int8, torch.uint8))
    if query_rope is not None and key_rope is not None:
        _check_latent(operator, query, query_rope, key_rope, heads, kv_heads, longest, block_size)
    else:
        require(query_rope is None and key_rope is None, operator, "query_rope and key_rope go together")

    output = torch.zeros_like(query)
    lse = query.new_zeros(len(query), heads, 1, dtype=torch.float32)
    for row, (start, end) in enumerate(_spans(operator, "query lengths", ends, len(query))):
        if start == end:
            continue
        length = lengths[row]
        used = block_table[row, : -(-length // block_size)].long()
        keys = key[used].reshape(-1, kv_heads, query.shape[-1])[:length]
        values = value[used].reshape(-1, kv_heads, query.shape[-1])[:length]
        queries = query[start:end]
        if query_rope is not None and key_rope is not None:
            rope = key_rope[used].reshape(-1, kv_heads, query_rope.shape[-1])[:length]
            queries = torch.cat((queries, query_rope[start:end]), -1)
            keys = torch.cat((keys, rope), -1)
        causal = sparse_mode == _RIGHT_DOWN_CAUSAL
        output[start:end], maximum, total = _softmax_attention(queries, keys, values, scale, causal)
        lse[start:end, :, 0] = maximum + total.log()
    return output, lse if with_lse else query.new_zeros(1, dtype=torch.float32)


def _check_latent(
    operator: str,
    query: torch.Tensor,
    query_rope: torch.Tensor,
    key_rope: torch.Tensor,
    heads: int,
    kv_heads: int,
    longest: int,
    block_size: int,
) -> None:
    require(longest <= 16, operator, f"with query_rope a request has at most 16 query tokens, got {longest}")
    require(heads in (1, 2, 4, 8, 16, 32, 64, 128), operator, f"with query_rope {heads} heads are not supported")
    require(kv_heads == 1, operator, "with query_rope there is one kv head")
    require(query.shape[-1] == 512, operator, f"with query_rope D is 512, got {query.shape[-1]}")
    rope = (query_rope.shape[-1], key_rope.shape[-1])
    require(rope == (64, 64), operator, f"query_rope and key_rope are 64 wide, got {rope}")
    require(block_size in (16, 128), operator, "with query_rope block_size is 16 or 128")


@reference("npu_fused_infer_attention_score")
def npu_fused_infer_attention_score(
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
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return paged attention and, when asked for, its log-sum-exp ([tokens, heads, 1])."""
    operator = "npu_fused_infer_attention_score"
    absent(operator, **others)
    return _paged(
        operator,
        query,
        key,
        value,
        query_rope,
        key_rope,
        ends=actual_seq_lengths,
        lengths=actual_seq_lengths_kv,
        block_table=block_table,
        mask=atten_mask,
        heads=num_heads,
        kv_heads=num_key_value_heads,
        scale=scale,
        layout=input_layout,
        sparse_mode=sparse_mode,
        block_size=block_size,
        with_lse=softmax_lse_flag,
    )


@reference("npu_fused_infer_attention_score_v2")
def npu_fused_infer_attention_score_v2(
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
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return paged attention and, when asked for, its log-sum-exp ([tokens, heads, 1])."""
    operator = "npu_fused_infer_attention_score_v2"
    absent(operator, **others)
    return _paged(
        operator,
        query,
        key,
        value,
        query_rope,
        key_rope,
        ends=actual_seq_qlen,
        lengths=actual_seq_kvlen,
        block_table=block_table,
        mask=atten_mask,
        heads=num_query_heads,
        kv_heads=num_key_value_heads,
        scale=softmax_scale,
        layout=input_layout,
        sparse_mode=sparse_mode,
        block_size=block_size,
        with_lse=return_softmax_lse,
    )


@reference("npu_fusion_attention")
def npu_fusion_attention(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    head_num: int,
    input_layout: str,
    pse: torch.Tensor | None = None,
    padding_mask: torch.Tensor | None = None,
    atten_mask: torch.Tensor | None = None,
    scale: float = 1.0,
    keep_prob: float = 1.0,
    pre_tockens: int = 2147483647,
    next_tockens: int = 2147483647,
    inner_precise: int = 0,
    prefix: Sequence[int] | None = None,
    actual_seq_qlen: Sequence[int] | None = None,
    actual_seq_kvlen: Sequence[int] | None = None,
    sparse_mode: int = 0,
    gen_mask_parallel: bool = True,
    sync: bool = False,
    softmax_layout: str = "",
    sink: torch.Tensor | None = None,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, int, int, int]:
    """Return attention over packed sequences, the maxima and the sums ([tokens, heads, 8]), and seeds."""
    operator = "npu_fusion_attention"
    absent(operator, pse=pse, padding_mask=padding_mask, prefix=prefix, sink=sink)
    if input_layout != "TND" or softmax_layout != "TND" or keep_prob != 1.0:
        raise NotImplementedError(f"the reference implementation of {operator} supports TND without dropout alone")
    dtype(operator, FLOAT, query=query, key=key, value=value)
    same_dtype(operator, query=query, key=key, value=value)
    rank(operator, range(3, 4), query=query, key=key, value=value)
    require(query.shape[1] == head_num, operator, f"query has {query.shape[1]} heads, head_num is {head_num}")
    require(head_num % key.shape[1] == 0, operator, "head_num must be a multiple of the kv heads")
    if actual_seq_qlen is None or actual_seq_kvlen is None:
        require(False, operator, "TND demands actual_seq_qlen and actual_seq_kvlen")
        raise AssertionError
    require(len(actual_seq_qlen) == len(actual_seq_kvlen), operator, "queries and keys must be of as many sequences")
    _check_mask(operator, atten_mask, sparse_mode, (torch.bool, torch.uint8))
    output = query.new_zeros(*query.shape[:2], value.shape[-1])
    maximum = query.new_zeros(*query.shape[:2], dtype=torch.float32)
    total = torch.ones_like(maximum)
    queries = _spans(operator, "actual_seq_qlen", actual_seq_qlen, len(query))
    keys = _spans(operator, "actual_seq_kvlen", actual_seq_kvlen, len(key))
    for (start, end), (key_start, key_end) in zip(queries, keys, strict=True):
        if start == end or key_start == key_end:
            continue
        output[start:end], maximum[start:end], total[start:end] = _softmax_attention(
            query[start:end],
            key[key_start:key_end],
            value[key_start:key_end],
            scale,
            sparse_mode == _RIGHT_DOWN_CAUSAL,
        )
    repeated = (*maximum.shape, 8)
    return (
        output,
        maximum[..., None].expand(repeated).contiguous(),
        total[..., None].expand(repeated).contiguous(),
        query.new_zeros(1),
        0,
        0,
        0,
    )
