"""Writing into the paged KV cache."""

import torch

from ascend_backend.simulation.constraints import absent, contiguous, dtype, rank, require, same_dtype
from ascend_backend.simulation.operators import reference

_OPERATOR = "npu_scatter_pa_kv_cache"


@reference(_OPERATOR)
def npu_scatter_pa_kv_cache(
    key: torch.Tensor,
    value: torch.Tensor,
    key_cache: torch.Tensor,
    value_cache: torch.Tensor,
    slot_mapping: torch.Tensor,
    *,
    compress_lens: torch.Tensor | None = None,
    compress_seq_offsets: torch.Tensor | None = None,
    seq_lens: torch.Tensor | None = None,
    cache_mode: str | None = "PA_NZ",
) -> None:
    """Write each token's key and value into its slot (the documentation's second scenario)."""
    absent(_OPERATOR, compress_lens=compress_lens, compress_seq_offsets=compress_seq_offsets, seq_lens=seq_lens)
    if cache_mode not in (None, "Norm"):
        raise NotImplementedError(f"the reference implementation of {_OPERATOR} does not support NZ caches")
    caches = {"key": key, "value": value, "key_cache": key_cache, "value_cache": value_cache}
    contiguous(_OPERATOR, **caches, slot_mapping=slot_mapping)
    same_dtype(_OPERATOR, **caches)
    rank(_OPERATOR, range(3, 4), key=key, value=value)
    rank(_OPERATOR, range(4, 5), key_cache=key_cache, value_cache=value_cache)
    dtype(_OPERATOR, (torch.int32, torch.int64), slot_mapping=slot_mapping)
    require(key.shape[:2] == value.shape[:2], _OPERATOR, "key and value must have the same tokens and heads")
    require(
        key.shape[1:] == key_cache.shape[2:] and value.shape[1:] == value_cache.shape[2:],
        _OPERATOR,
        "the caches must be [blocks, block_size, heads, size] with the heads and size of key and value",
    )
    require(slot_mapping.shape == key.shape[:1], _OPERATOR, "slot_mapping must have one slot a token")
    blocks, block_size = key_cache.shape[:2]
    slots = slot_mapping.long()
    inside = bool(((slots >= 0) & (slots < blocks * block_size)).all())
    require(inside, _OPERATOR, f"slots must lie in [0, {blocks * block_size - 1}]")
    require(slots.unique().numel() == slots.numel(), _OPERATOR, "slots must not repeat")
    key_cache.view(-1, *key.shape[1:])[slots] = key
    value_cache.view(-1, *value.shape[1:])[slots] = value
