"""How a layer's part of vLLM's KV cache is read as the tensors that the operators demand.

vLLM gives a layer a view of the logical shape [blocks, heads, block_size, content]. torch_npu's attention and
cache operators document that they accept contiguous tensors alone, so K and V (or latent and rope) of one
block cannot lie side by side: the layer's bytes are read as the first part of every block, followed by the
second part of every block. Only layouts in which a layer's bytes lie together permit that.

Layers of different groups (with a sliding window and without, of a decoder and to its encoder) share the bytes,
each the blocks of its own requests; that is sound as long as all divide a block in the same way.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from vllm.v1.kv_cache_interface import KVCacheLayout

from ascend_backend.attention.cross_layer import CrossLayerCache, LayerCache

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


@dataclass(frozen=True)
class Caches:
    """The two caches that the operators get for a layer, and where the layer's blocks are in them."""

    first: torch.Tensor
    second: torch.Tensor
    #: The allocation of all layers, where the caches are it, and the number of the layer.
    shared: CrossLayerCache | None = None
    layer: int = 0

    def slots(self, slots: torch.Tensor) -> torch.Tensor:
        """Return the layer's ``slots``, those of padding (-1) moved into the null block."""
        slots = without_padding(slots, self.first.shape[1])
        return slots if self.shared is None else self.shared.slots(slots, self.layer)

    def block_table(self, table: torch.Tensor) -> torch.Tensor:
        """Return the layer's blocks."""
        return table if self.shared is None else self.shared.block_table(table, self.layer)


@dataclass(frozen=True)
class PairedCaches(Caches):
    """The caches of a layer whose blocks layers of other kinds use as well, so that a block's parts lie in it.

    A block is two pages, its first part and its second. Seen whole, the layer's bytes are a contiguous cache of
    such pages: the operators get the first caches from page 0 on and the second ones from page 1 on, each
    contiguous, and block ``b`` is number ``2 * b`` in both. The pages between are those of the other cache.
    """

    def slots(self, slots: torch.Tensor) -> torch.Tensor:
        """Return the ``slots`` in every other page, those of padding (-1) moved into the null block."""
        block_size = self.first.shape[1]
        slots = without_padding(slots, block_size)
        return slots + slots.div(block_size, rounding_mode="floor") * block_size

    def block_table(self, table: torch.Tensor) -> torch.Tensor:
        """Return the pages of the blocks' first parts."""
        return 2 * table


def paired(cache: torch.Tensor, size: int) -> PairedCaches:
    """Return the caches of a layer that shares its blocks, from vLLM's view [blocks, heads, block_size, 2 * size].

    Raises ValueError for a view of other sizes, or with something between its blocks.
    """
    blocks, heads, block_size, content = cache.shape
    if content != 2 * size or cache.stride(0) != heads * block_size * content:
        raise ValueError(f"a KV cache of shape {tuple(cache.shape)}, strides {cache.stride()} has no pages of {size}")
    pages = cache.transpose(1, 2).view(-1).view(2 * blocks, block_size, heads, size)
    return PairedCaches(pages[:-1], pages[1:])


def caches(cache: torch.Tensor, first_size: int, second_size: int) -> Caches:
    """Return the caches of a layer, from vLLM's view [blocks, heads, block_size, first_size + second_size].

    Where the view steps over the blocks of other layers, all of them are one allocation.
    """
    blocks, heads, block_size, content = cache.shape
    page, stride = heads * block_size * content, cache.stride(0)
    whole = cache.untyped_storage().nbytes() // cache.element_size()
    if stride == page or stride % page or stride * blocks != whole:
        return Caches(*split(cache, first_size, second_size))
    layer = LayerCache(block_size, heads, (first_size, second_size), cache.dtype)
    shared = CrossLayerCache(layer, stride // page, blocks)
    buffer = cache.as_strided((whole,), (1,), 0).view(torch.int8)
    number = cache.storage_offset() // page
    return Caches(shared.for_operators(buffer, 0), shared.for_operators(buffer, 1), shared, number)


def without_padding(slots: torch.Tensor, block_size: int) -> torch.Tensor:
    """Return ``slots`` with those of padding (-1) spread over vLLM's null block (0), which nobody reads.

    The operator takes no slot below zero; a graph's number of tokens is fixed. A drafting model that is run to
    warm up is given the first slot for every token. More padding than a block has slots comes to each of them
    again: what is in them then is not guaranteed.
    """
    places = torch.arange(len(slots), dtype=slots.dtype, device=slots.device) % block_size
    return torch.where(slots < block_size, places, slots)


def require_one_shape(groups: Sequence[tuple[int, int, int, torch.dtype]]) -> None:
    """Raise ValueError unless all groups of layers have blocks of one shape.

    A group is given by its number of heads, the size of a head, the tokens of a block and the dtype.
    """
    if len(set(groups)) > 1:
        shapes = "; ".join(f"{heads} heads of {size}, {tokens} tokens, {dtype}" for heads, size, tokens, dtype in groups)
        raise ValueError(
            f"the layers' KV caches cannot share blocks on NPU, for K and V lie apart and the shapes differ ({shapes}); "
            f"set disable_hybrid_kv_cache_manager"
        )
