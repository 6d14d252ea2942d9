"""A KV cache of all layers in one allocation, the layer inside the block.

A connector that moves blocks of all layers then moves two runs of bytes a block, one of keys and one of
values (of MLA: latents and rotated keys), in place of two a layer. Keys lie before values, each part
[blocks, layers, block_size, heads, size] with a size of its own.

A layer's part of that is strided, and torch_npu's operators take contiguous caches alone
(docs/operators.md). They do not have to see a layer, though: a part is, seen whole, a contiguous cache of
``blocks * layers`` blocks, of which block ``b`` of layer ``l`` is number ``b * layers + l``. So the operators
get the whole part, and the slots and block tables of the layer.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch


@dataclass(frozen=True)
class LayerCache:
    """What one layer keeps for a token: two parts of ``heads`` times a size each."""

    block_size: int
    heads: int
    sizes: tuple[int, int]
    dtype: torch.dtype


@dataclass(frozen=True)
class CrossLayerCache:
    """The cache of ``layers`` layers that all keep the same."""

    layer: LayerCache
    layers: int
    blocks: int

    def part_bytes(self, part: int) -> int:
        """Return the bytes of a part."""
        layer = self.layer
        numbers = self.layers * self.blocks * layer.block_size * layer.heads * layer.sizes[part]
        return numbers * layer.dtype.itemsize

    def for_operators(self, buffer: torch.Tensor, part: int) -> torch.Tensor:
        """Return a part as the operators take it: contiguous [blocks * layers, block_size, heads, size]."""
        start = part * self.part_bytes(0)
        memory = buffer[start : start + self.part_bytes(part)].view(self.layer.dtype)
        return memory.view(self.blocks * self.layers, self.layer.block_size, self.layer.heads, self.layer.sizes[part])

    def slots(self, slots: torch.Tensor, layer: int) -> torch.Tensor:
        """Return where the operators find the ``slots`` (not negative) of a layer."""
        size = self.layer.block_size
        block = torch.div(slots, size, rounding_mode="floor")
        return (block * self.layers + layer) * size + slots % size

    def block_table(self, table: torch.Tensor, layer: int) -> torch.Tensor:
        """Return where the operators find the blocks of a layer."""
        return table * self.layers + layer


def uniform(caches: Sequence[LayerCache]) -> LayerCache | str:
    """Return what all layers keep, or, in words, why they cannot share blocks."""
    if not caches:
        return "the model has no layers with a KV cache"
    first = caches[0]
    for number, cache in enumerate(caches):
        if cache != first:
            return f"layer {number} keeps {cache}, layer 0 keeps {first}: blocks of all layers need uniform layers"
    return first
