"""Reading the paged KV cache with ``npu_gather_pa_kv_cache``.

``torch_npu/_op_plugin_docs.py`` has no entry of it. It is held to what ``op_plugin/atb/_atb_api_docs.py`` says of
``npu_paged_cache_load``, which reads the same: caches [blocks, block_size, heads, size], of heads * size in whole
multiples of 32 bytes, and as many tokens of every request as its length says, from the first one or from its offset.
"""

import torch

from torch_npu_sim.constraints import HALF, contiguous, dtype, rank, require, same_dtype
from torch_npu_sim.operators import fake, reference

_OPERATOR = "npu_gather_pa_kv_cache"
_ALIGNMENT = 32


def _check(
    key_cache: torch.Tensor,
    value_cache: torch.Tensor,
    block_tables: torch.Tensor,
    seq_lens: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    seq_offset: torch.Tensor | None,
    is_seq_lens_cumsum: bool,
) -> None:
    if is_seq_lens_cumsum:
        raise NotImplementedError(f"the reference implementation of {_OPERATOR} does not support sums of lengths")
    caches, outputs = {"key_cache": key_cache, "value_cache": value_cache}, {"key": key, "value": value}
    # int8 is documented, too, and is not quantised here.
    dtype(_OPERATOR, HALF, **caches, **outputs)
    same_dtype(_OPERATOR, **caches, **outputs)
    dtype(_OPERATOR, (torch.int32,), block_tables=block_tables, seq_lens=seq_lens, seq_offset=seq_offset)
    contiguous(_OPERATOR, **caches, **outputs, block_tables=block_tables, seq_lens=seq_lens)
    rank(_OPERATOR, range(4, 5), **caches)
    rank(_OPERATOR, range(3, 4), **outputs)
    require(key_cache.shape[:2] == value_cache.shape[:2], _OPERATOR, "the caches must have the same blocks")
    for name, cache, output in (("key", key_cache, key), ("value", value_cache, value)):
        require(cache.shape[2:] == output.shape[1:], _OPERATOR, f"{name} must have the heads and size of its cache")
        row = output[0].numel() * output.element_size() if len(output) else _ALIGNMENT
        require(row % _ALIGNMENT == 0, _OPERATOR, f"a token's {name} must fill multiples of 32 bytes, got {row}")
    require(len(key) == len(value), _OPERATOR, "key and value must have as many tokens")
    rank(_OPERATOR, range(2, 3), block_tables=block_tables)
    require(seq_lens.shape == block_tables.shape[:1], _OPERATOR, "seq_lens must have one length a row of block_tables")
    offsets = seq_offset is None or seq_offset.shape == seq_lens.shape
    require(offsets, _OPERATOR, "seq_offset must have one value a row of block_tables")


@reference(_OPERATOR)
def npu_gather_pa_kv_cache(
    key_cache: torch.Tensor,
    value_cache: torch.Tensor,
    block_tables: torch.Tensor,
    seq_lens: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    *,
    seq_offset: torch.Tensor | None = None,
    is_seq_lens_cumsum: bool = False,
) -> None:
    """Fill ``key`` and ``value`` with the cached tokens of the requests, one after the other."""
    _check(key_cache, value_cache, block_tables, seq_lens, key, value, seq_offset, is_seq_lens_cumsum)
    blocks, block_size = key_cache.shape[:2]
    lengths = seq_lens.tolist()
    require(sum(lengths) == len(key), _OPERATOR, f"seq_lens name {sum(lengths)} tokens, key has {len(key)}")
    offsets = [0] * len(lengths) if seq_offset is None else seq_offset.tolist()
    start = 0
    for row, length, offset in zip(block_tables, lengths, offsets, strict=True):
        require(offset >= 0, _OPERATOR, "seq_offset must not be negative")
        places = torch.arange(offset, offset + length)
        columns = -(-(offset + length) // block_size) if length else 0
        require(len(row) >= columns, _OPERATOR, f"block_tables must have at least {columns} columns")
        used = row[places // block_size].long()
        valid = bool(((used >= 0) & (used < blocks)).all())
        require(valid, _OPERATOR, f"block_tables must hold blocks in [0, {blocks - 1}]")
        for cache, output in ((key_cache, key), (value_cache, value)):
            output[start : start + length] = cache[used, places % block_size]
        start += length


@fake(_OPERATOR)
def npu_gather_pa_kv_cache_fake(
    key_cache: torch.Tensor,
    value_cache: torch.Tensor,
    block_tables: torch.Tensor,
    seq_lens: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    *,
    seq_offset: torch.Tensor | None = None,
    is_seq_lens_cumsum: bool = False,
) -> None:
    """Return nothing: ``key`` and ``value`` are written in place."""
    _check(key_cache, value_cache, block_tables, seq_lens, key, value, seq_offset, is_seq_lens_cumsum)
