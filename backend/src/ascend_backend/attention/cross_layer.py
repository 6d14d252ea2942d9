"""A KV cache of all layers in one allocation, the layer inside the block.

A connector that moves blocks of all layers then moves two runs of bytes a block, one of keys and one of
values (of MLA: latents and rotated keys), in place of two a layer. Keys lie before values, each part
[blocks, layers, block_size, heads, size] with a size of its own.

A layer's part of that is strided, and torch_npu's operators take contiguous caches alone
(docs/operators.md). They do not have to see a layer, though: a part is, seen whole, a contiguous cache of
``blocks * layers`` blocks, of which block ``b`` of layer ``l`` is number ``b * layers + l``. So the operators
get the whole part, and the slots and block tables of the layer.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch

_INDEX_LIMIT = 1 << 31


def permuted(shape: Sequence[int], order: Sequence[int]) -> tuple[int, ...]:
    """Return the shape in memory: dimension ``i`` of it is dimension ``order[i]`` of ``shape``."""
    return tuple(shape[dimension] for dimension in order)


def inverse(order: Sequence[int]) -> tuple[int, ...]:
    """Return the order that undoes ``order``: a tensor in memory permuted by it has its logical shape."""
    undone = [0] * len(order)
    for place, dimension in enumerate(order):
        undone[dimension] = place
    return tuple(undone)


def stride_order(dimensions: int) -> tuple[int, ...]:
    """Return the order in memory of [layers, blocks, …]: the block outermost, the layer inside it."""
    return (1, 0, *range(2, dimensions))


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

    def __post_init__(self) -> None:
        """Raise ValueError if block tables (int32) could not name all blocks."""
        if self.layers * self.blocks >= _INDEX_LIMIT:
            raise ValueError(f"{self.blocks} blocks of {self.layers} layers are more than a block table can name")

    def shape(self, part: int) -> tuple[int, ...]:
        """Return the logical shape of a part: [layers, blocks, block_size, heads, size]."""
        layer = self.layer
        return (self.layers, self.blocks, layer.block_size, layer.heads, layer.sizes[part])

    def part_bytes(self, part: int) -> int:
        """Return the bytes of a part."""
        size = self.layer.dtype.itemsize
        for length in self.shape(part):
            size *= length
        return size

    @property
    def nbytes(self) -> int:
        """The bytes of the allocation."""
        return self.part_bytes(0) + self.part_bytes(1)

    def allocate(self, device: torch.device) -> torch.Tensor:
        """Return the allocation, zeroed, as bytes."""
        return torch.zeros(self.nbytes, dtype=torch.int8, device=device)

    def _stored(self, buffer: torch.Tensor, part: int) -> torch.Tensor:
        start = part * self.part_bytes(0)
        memory = buffer[start : start + self.part_bytes(part)].view(self.layer.dtype)
        return memory.view(permuted(self.shape(part), stride_order(5)))

    def by_layer(self, buffer: torch.Tensor, part: int) -> torch.Tensor:
        """Return a part in its logical shape; a layer of it is strided."""
        return self._stored(buffer, part).permute(inverse(stride_order(5)))

    def for_operators(self, buffer: torch.Tensor, part: int) -> torch.Tensor:
        """Return a part as the operators take it: contiguous [blocks * layers, block_size, heads, size]."""
        return self._stored(buffer, part).flatten(0, 1)

    def slots(self, slots: torch.Tensor, layer: int) -> torch.Tensor:
        """Return where the operators find the ``slots`` (not negative) of a layer."""
        size = self.layer.block_size
        block = torch.div(slots, size, rounding_mode="floor")
        return (block * self.layers + layer) * size + slots % size

    def block_table(self, table: torch.Tensor, layer: int) -> torch.Tensor:
        """Return where the operators find the blocks of a layer."""
        return table * self.layers + layer

    def runs(self, block: int) -> Iterator[tuple[int, int]]:
        """Yield the (start, length) in bytes of what a block holds of all layers: one run a part."""
        start = 0
        for part in (0, 1):
            length = self.part_bytes(part) // self.blocks
            yield start + block * length, length
            start += self.part_bytes(part)


def layer_runs(layer: LayerCache, layers: int, blocks: int, block: int) -> Iterator[tuple[int, int]]:
    """Yield the (start, length) in bytes of the same block where every layer has an allocation of its own.

    The allocations are told one after the other: there are two runs a layer.
    """
    one = CrossLayerCache(layer, 1, blocks)
    for number in range(layers):
        for start, length in one.runs(block):
            yield number * one.nbytes + start, length


def uniform(caches: Sequence[LayerCache]) -> LayerCache | str:
    """Return what all layers keep, or, in words, why they cannot share blocks."""
    if not caches:
        return "the model has no layers with a KV cache"
    first = caches[0]
    for number, cache in enumerate(caches):
        if cache != first:
            return f"layer {number} keeps {cache}, layer 0 keeps {first}: blocks of all layers need uniform layers"
    return first
