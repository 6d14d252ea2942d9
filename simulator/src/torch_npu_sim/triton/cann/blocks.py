"""The values of the interpreter as arrays, and back."""

from typing import Any

import numpy as np
import triton.language as tl
from triton.runtime.interpreter import TensorHandle


def number(value: Any) -> int:
    """Return a place or a size, which a kernel gives as a number, a constexpr or a scalar."""
    if isinstance(value, tl.tensor):
        return int(value.handle.data.item())
    return int(getattr(value, "value", value))


def numbers(values: Any) -> tuple[int, ...]:
    """Return places, one for each dimension."""
    return tuple(number(value) for value in values)


def block(data: np.ndarray[Any, Any], like: Any) -> Any:
    """Return the array as a block of the type of another one."""
    kind = like.type.scalar
    return tl.tensor(TensorHandle(data, kind), tl.block_type(kind, list(data.shape)))


def scalar(value: Any, like: Any) -> Any:
    """Return a number as a scalar of the type of a block's."""
    data = np.array([value], dtype=like.handle.data.dtype)
    return tl.tensor(TensorHandle(data, like.type.scalar), like.type.scalar)
