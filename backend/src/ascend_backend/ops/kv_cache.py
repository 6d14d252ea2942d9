"""Writing keys and values into the paged cache."""

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
