"""``triton.language.extra.cann.extension``: parts of blocks, and sorting. Sizes need not be powers of two."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from torch_npu_sim.triton.cann.blocks import block, number, numbers, scalar

_Places = Sequence[Any]


def get_element(src: Any, indice: _Places) -> Any:
    """Return one number of a block."""
    return scalar(src.handle.data[numbers(indice)], src)


def extract_slice(ful: Any, offsets: _Places, sizes: _Places, strides: _Places) -> Any:
    """Return a part of a block."""
    return block(ful.handle.data[_part(offsets, sizes, strides)].copy(), ful)


def insert_slice(ful: Any, sub: Any, offsets: _Places, sizes: _Places, strides: _Places) -> Any:
    """Return a block with a part replaced."""
    data = ful.handle.data.copy()
    data[_part(offsets, sizes, strides)] = sub.handle.data.reshape(numbers(sizes))
    return block(data, ful)


def sort(ptr: Any, dim: Any = -1, descending: Any = False) -> Any:
    """Return a block with each row along a dimension sorted."""
    data = np.sort(ptr.handle.data, axis=number(dim))
    return block(np.flip(data, number(dim)) if number(descending) else data, ptr)


def _part(offsets: _Places, sizes: _Places, strides: _Places) -> tuple[slice, ...]:
    parts = zip(numbers(offsets), numbers(sizes), numbers(strides), strict=True)
    return tuple(slice(start, start + size * step, step) for start, size, step in parts)
