"""Has Triton's interpreter compute with numbers of bfloat16: it keeps them as the 16 bits that they are, and would
add and multiply these as whole numbers.

A run that has such kernels calls ``complete``; nothing does so for the others.
"""

import os
from collections.abc import Callable
from typing import Any

import numpy as np

_LOW = np.uint32(16)


def widened(bits: Any) -> Any:
    """Return the numbers in float32 of which these are the bits in bfloat16."""
    return (bits.astype(np.uint32) << _LOW).view(np.float32)


def rounded(numbers: Any) -> Any:
    """Return the bits of the nearest bfloat16 of each number, of two as near the even one."""
    exact = np.ascontiguousarray(numbers, dtype=np.float32)
    bits = exact.view(np.uint32)
    even = (bits + np.uint32(0x7FFF) + ((bits >> _LOW) & np.uint32(1))) >> _LOW
    return np.where(np.isnan(exact), np.uint32(0x7FC0), even).astype(np.uint16)


def complete() -> None:
    """Have operations on bfloat16 computed in float32 and rounded; nothing without ``TRITON_INTERPRET=1``."""
    if os.environ.get("TRITON_INTERPRET") != "1":
        return
    from triton.runtime import interpreter

    builder = interpreter.InterpreterBuilder
    for name in ("unary_op", "binary_op", "ternary_op"):
        setattr(builder, name, _in_float32(getattr(builder, name), interpreter.TensorHandle))
    for name in ("cast_impl", "create_fp_to_fp"):
        setattr(builder, name, _cast(getattr(builder, name), interpreter.TensorHandle))


def _in_float32(method: Callable[..., Any], handle: Any) -> Callable[..., Any]:
    import triton.language as tl

    def computed(self: Any, *given: Any) -> Any:
        *operands, operation = given
        half = [each.dtype.scalar == tl.bfloat16 for each in operands]
        if not any(half):
            return method(self, *given)
        wide = [
            handle(widened(each.data), tl.float32) if is_half else each
            for each, is_half in zip(operands, half, strict=True)
        ]
        result = method(self, *wide, operation)
        # Comparisons are of another kind already.
        return result if result.data.dtype != np.float32 else handle(rounded(result.data), tl.bfloat16)

    return computed


def _cast(method: Callable[..., Any], handle: Any) -> Callable[..., Any]:
    import triton.language as tl

    def cast(self: Any, given: Any, kind: Any, *rounding: Any) -> Any:
        before, after = (each.scalar == tl.bfloat16 for each in (given.dtype, kind))
        if before == after:
            return method(self, given, kind, *rounding)
        if after:
            return handle(rounded(given.data), tl.bfloat16)
        return self.cast_impl(handle(widened(given.data), tl.float32), kind)

    return cast
