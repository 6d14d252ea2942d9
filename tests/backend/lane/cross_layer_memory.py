"""The memory of a cache of all layers: made, and seen one layer at a time by a formula of its own."""

from __future__ import annotations

import torch
from ascend_backend.attention.cross_layer import CrossLayerCache


def allocate(cache: CrossLayerCache) -> torch.Tensor:
    """Return zeroed bytes for both parts."""
    return torch.zeros(cache.part_bytes(0) + cache.part_bytes(1), dtype=torch.int8)


def by_layer(cache: CrossLayerCache, memory: torch.Tensor, part: int) -> torch.Tensor:
    """Return a part as [layers, blocks, block_size, heads, size], of which every layer is strided."""
    kept = cache.layer
    numbers = [cache.layers * cache.blocks * kept.block_size * kept.heads * size for size in kept.sizes]
    flat = memory.view(kept.dtype)[: numbers[0]] if part == 0 else memory.view(kept.dtype)[-numbers[1] :]
    return flat.view(cache.blocks, cache.layers, kept.block_size, kept.heads, -1).transpose(0, 1)
