"""How a layer's part of vLLM's KV cache is read as the tensors that the operators demand.

vLLM gives a layer a view of the logical shape [blocks, heads, block_size, content]. torch_npu's attention and
cache operators document that they accept contiguous tensors alone, so K and V (or latent and rope) of one
block cannot lie side by side: the layer's bytes are read as the first part of every block, followed by the
second part of every block. Only layouts in which a layer's bytes lie together permit that.
"""

import torch
from vllm.v1.kv_cache_interface import KVCacheLayout

#: The layouts in which a layer is one run of bytes, tokens outside heads.
LAYOUTS = (KVCacheLayout.LBNHC,)


def split(cache: torch.Tensor, first_size: int, second_size: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the two caches of a layer, each contiguous [blocks, block_size, heads, size].

    ``cache`` is vLLM's view [blocks, heads, block_size, first_size + second_size].
    """
    blocks, heads, block_size, content = cache.shape
    if content != first_size + second_size:
        raise ValueError(f"KV cache content is {content} wide, but the layer stores {first_size} + {second_size}")
    flat = cache.transpose(1, 2).view(-1)
    border = blocks * block_size * heads * first_size
    return (
        flat[:border].view(blocks, block_size, heads, first_size),
        flat[border:].view(blocks, block_size, heads, second_size),
    )


def without_padding(slots: torch.Tensor, block_size: int) -> torch.Tensor:
    """Return ``slots`` with those of padding (-1) moved into vLLM's null block, which nobody reads.

    The operator takes no slot below zero, and no slot twice; a graph's number of tokens is fixed.
    """
    places = torch.arange(len(slots), dtype=slots.dtype, device=slots.device) % block_size
    return torch.where(slots < 0, places, slots)
