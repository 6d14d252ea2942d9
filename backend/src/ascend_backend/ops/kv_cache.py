"""Writing keys and values into the paged cache, and reading them."""

import torch
import torch_npu


def reshape_and_cache(
    key: torch.Tensor,
    value: torch.Tensor,
    key_cache: torch.Tensor,
    value_cache: torch.Tensor,
    slots: torch.Tensor,
) -> None:
    """Write ``key`` and ``value`` ([tokens, heads, size]) into their slots of the caches.

    The caches are [blocks, block_size, heads, size]; slot ``s`` is offset ``s % block_size`` of block
    ``s // block_size``.
    """
    torch_npu.npu_scatter_pa_kv_cache(
        key.contiguous(), value.contiguous(), key_cache, value_cache, slots, cache_mode="Norm"
    )


def gather(
    key_cache: torch.Tensor,
    value_cache: torch.Tensor,
    block_table: torch.Tensor,
    lengths: torch.Tensor,
    tokens: int,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return keys and values ([tokens, heads, size]) of so many tokens of each request, one after the other.

    The caches are [blocks, block_size, heads, size]; ``lengths``, whose sum is ``tokens``, count from the first
    block of the table's rows.
    """
    key, value = (cache.new_empty(tokens, *cache.shape[2:]) for cache in (key_cache, value_cache))
    torch_npu.npu_gather_pa_kv_cache(key_cache, value_cache, block_table, lengths, key, value)
    return key, value
