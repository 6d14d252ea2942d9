"""Paged attention of ATB, for one query token a request: ``_npu_paged_attention``.

Its document (``torch_npu/op_plugin/atb/_atb_api_docs.py``) is that of its second version, to which it is held. The
lengths may be those of the host.
"""

import torch

from torch_npu_sim.attention_layouts import cached_tokens
from torch_npu_sim.constraints import HALF, contiguous, dtype, rank, require, same_dtype
from torch_npu_sim.operators import fake, reference
from torch_npu_sim.softmax import softmax_attention

_OPERATOR = "_npu_paged_attention"
_WORKSPACE = "_npu_paged_attention_get_workspace"
#: Bytes of a workspace, which the simulated device does not use.
_BYTES = 512


def _check(
    query: torch.Tensor,
    key_cache: torch.Tensor,
    value_cache: torch.Tensor,
    num_kv_heads: int,
    num_heads: int,
    block_table: torch.Tensor,
    context_lens: torch.Tensor,
    out: torch.Tensor,
) -> None:
    dtype(_OPERATOR, HALF, query=query, key_cache=key_cache, value_cache=value_cache, out=out)
    same_dtype(_OPERATOR, query=query, key_cache=key_cache, value_cache=value_cache, out=out)
    contiguous(_OPERATOR, query=query, block_table=block_table)
    dtype(_OPERATOR, (torch.int32,), block_table=block_table, context_lens=context_lens)
    rank(_OPERATOR, range(3, 4), query=query)
    rank(_OPERATOR, range(4, 5), key_cache=key_cache, value_cache=value_cache)
    rank(_OPERATOR, range(2, 3), block_table=block_table)
    block_size = key_cache.shape[1]
    require(block_size % 16 == 0 and block_size <= 128, _OPERATOR, f"block_size {block_size} is not supported")
    require(query.shape[1] == num_heads, _OPERATOR, f"query has {query.shape[1]} heads, num_heads is {num_heads}")
    heads = key_cache.shape[2] == value_cache.shape[2] == num_kv_heads
    require(heads and num_heads % num_kv_heads == 0, _OPERATOR, "the caches must have num_kv_heads heads")
    require(key_cache.shape[3] == query.shape[2], _OPERATOR, "query and key_cache must agree in D")
    # Requests that are padding have a row, and no query.
    rows = block_table.shape[0] == context_lens.shape[0] >= query.shape[0]
    require(rows, _OPERATOR, "block_table and context_lens must have a row for each query")
    fits = out.numel() == query.shape[0] * num_heads * value_cache.shape[3]
    require(fits, _OPERATOR, "out must be [tokens, heads, D]")


@reference(_OPERATOR, host_tensors=True)
def npu_paged_attention(
    query: torch.Tensor,
    key_cache: torch.Tensor,
    value_cache: torch.Tensor,
    num_kv_heads: int,
    num_heads: int,
    scale_value: float,
    block_table: torch.Tensor,
    context_lens: torch.Tensor,
    out: torch.Tensor,
    *,
    workspace: torch.Tensor | None = None,
) -> None:
    """Write each query's attention to the keys of its request."""
    _check(query, key_cache, value_cache, num_kv_heads, num_heads, block_table, context_lens, out)
    known, block_size = key_cache.shape[:2]
    rows = out.view(len(query), num_heads, -1)
    for row, length in enumerate(context_lens[: len(query)].tolist()):
        used = block_table[row, : -(-length // block_size)].long()
        inside = bool(((used >= 0) & (used < known)).all()) and len(used) * block_size >= length
        require(inside, _OPERATOR, f"block_table must hold blocks in [0, {known - 1}], enough for each request")
        keys, values = (
            cached_tokens(cache.transpose(1, 2), used, num_kv_heads)[:length] for cache in (key_cache, value_cache)
        )
        if length:
            rows[row], _, _ = softmax_attention(query[row : row + 1], keys, values, scale_value, causal=False)
        else:
            rows[row] = 0


@fake(_OPERATOR)
def npu_paged_attention_fake(
    query: torch.Tensor,
    key_cache: torch.Tensor,
    value_cache: torch.Tensor,
    num_kv_heads: int,
    num_heads: int,
    scale_value: float,
    block_table: torch.Tensor,
    context_lens: torch.Tensor,
    out: torch.Tensor,
    *,
    workspace: torch.Tensor | None = None,
) -> None:
    """Return nothing: ``out`` is written in place."""
    _check(query, key_cache, value_cache, num_kv_heads, num_heads, block_table, context_lens, out)


@fake(_WORKSPACE)
@reference(_WORKSPACE, host_tensors=True)
def npu_paged_attention_get_workspace(
    query: torch.Tensor,
    key_cache: torch.Tensor,
    value_cache: torch.Tensor,
    num_kv_heads: int,
    num_heads: int,
    scale_value: float,
    block_table: torch.Tensor,
    context_lens: torch.Tensor,
    out: torch.Tensor,
) -> torch.Tensor:
    """Return memory for the operator, which has a use for none here."""
    _check(query, key_cache, value_cache, num_kv_heads, num_heads, block_table, context_lens, out)
    return query.new_zeros(_BYTES, dtype=torch.uint8)
