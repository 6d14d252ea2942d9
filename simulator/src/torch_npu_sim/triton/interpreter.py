"""Completes Triton's interpreter, which runs vLLM's Triton kernels where there is no device.

Only with ``TRITON_INTERPRET=1``, which Triton reads when it is imported.
"""

import math
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np

#: The modules that plugins put in.
_GLUON = ("triton.experimental", "triton.experimental.gluon", "triton.experimental.gluon.language")
#: libdevice functions that vLLM's sampling kernels call; the interpreter computes none of them.
_LIBDEVICE = {"log1p": np.log1p, "expm1": np.expm1, "tanh": np.tanh, "exp2": np.exp2, "log2": np.log2}


def complete() -> None:
    """Fill the gaps of the interpreter against compiled Triton; nothing without ``TRITON_INTERPRET=1``."""
    if os.environ.get("TRITON_INTERPRET") != "1":
        return
    from triton.language.extra import libdevice
    from triton.runtime import interpreter

    builder = interpreter.InterpreterBuilder
    builder.create_masked_load = _boolean_mask(builder.create_masked_load, 1)
    builder.create_masked_store = _boolean_mask(builder.create_masked_store, 2)
    interpreter._patch_lang_core = _tensor_ranges(interpreter._patch_lang_core, interpreter._implicit_cvt)
    builder.create_splat = _boolean_splat(builder.create_splat, interpreter.TensorHandle)
    _arguments_of_the_device(interpreter)
    _any_length()
    _gluon()
    # As in compiled kernels that are not built for debugging: integers wrap around. The test costs half of the time.
    interpreter.interpreter_builder.options = replace(interpreter.interpreter_builder.options, sanitize_overflow=False)
    for name, function in _LIBDEVICE.items():
        setattr(libdevice, name, _elementwise(function))


def _boolean_mask(method: Callable[..., Any], position: int) -> Callable[..., Any]:
    """Return ``method`` with the mask, its argument at ``position``, made boolean: any integer masks."""

    def masked(self: Any, *arguments: Any, **keywords: Any) -> Any:
        mask = arguments[position]
        if mask.data.dtype != np.bool_:
            mask.data = mask.data.astype(np.bool_)
        return method(self, *arguments, **keywords)

    return masked


def _boolean_splat(method: Callable[..., Any], handle: Any) -> Callable[..., Any]:
    """Return ``method`` such that a comparison of numbers stays boolean when it is spread over a block."""
    import triton.language as tl

    def spread(self: Any, kind: Any, value: Any) -> Any:
        if value.data.dtype == np.bool_ and value.dtype != tl.int1:
            value = handle(value.data, tl.int1)
        return method(self, kind, value)

    return spread


def _arguments_of_the_device(interpreter: Any) -> None:
    """Let kernels work on the memory of the device itself, and graphs note a launch as one call."""
    import torch
    from torch.utils._pytree import tree_map

    from torch_npu_sim.device import host
    from torch_npu_sim.graphs import recorder

    plain = interpreter.GridExecutor.__call__

    def seen(value: Any) -> Any:
        return host(value) if isinstance(value, torch.Tensor) and value.device.type == "npu" else value

    def execute(self: Any, *arguments: Any, **keywords: Any) -> None:
        def run(*given: Any, **named: Any) -> None:
            plain(self, *tree_map(seen, given), **tree_map(seen, named))

        recorder.launch(self.fn.__name__, run, arguments, keywords)

    def as_they_are(self: Any, arguments: Any, keywords: Any) -> tuple[Any, Any]:
        return list(arguments), dict(keywords)

    interpreter.GridExecutor.__call__ = execute
    interpreter.GridExecutor._init_args_hst = as_they_are
    interpreter.GridExecutor._restore_args_dev = lambda self, *arguments: None


def _gluon() -> None:
    """Import what Triton asks for at every launch, by its own name.

    Triton-Ascend has no Gluon, so plugins put an empty module in its place, which then stays where they put it.
    """
    empty = {name: sys.modules.pop(name) for name in _GLUON if getattr(sys.modules.get(name), "__spec__", 1) is None}
    with suppress(ImportError):
        import triton.experimental.gluon.nvidia.hopper  # noqa: F401
    sys.modules.update(empty)


def _any_length() -> None:
    """Let blocks be of any length: Triton-Ascend compiles those that are no power of two, too."""
    import triton.language as tl
    from triton.language import core, semantic

    def arange(self: Any, start: int, end: int, *, ret_ty: Any = None) -> Any:
        kind = ret_ty or tl.block_type(tl.int32, [end - start])
        return self.tensor(self.builder.create_make_range(kind.to_ir(self.builder), start, end), kind)

    plain = semantic.TritonSemantic.arange

    def of_any_length(self: Any, start: int, end: int, *, ret_ty: Any = None) -> Any:
        usual = end <= start or (end - start).bit_count() == 1
        return (plain if usual else arange)(self, start, end, ret_ty=ret_ty)

    semantic.TritonSemantic.arange = of_any_length
    core.validate_block_shape = math.prod


def _tensor_ranges(patch: Callable[..., None], convert: Callable[[Any], Any]) -> Callable[..., None]:
    """Return ``patch`` such that loop variables of ``tl.range`` are tensors, as in compiled kernels."""

    def patched(language: Any, scope: Any) -> None:
        patch(language, scope)
        plain = language.range
        scope.set_attr(language, "range", lambda *a, **k: map(convert, plain(*a, **k)))

    return patched


def _elementwise(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return the libdevice function that applies numpy's ``function`` to the interpreter's arrays."""
    import triton.language as tl
    from triton.runtime.interpreter import TensorHandle

    def apply(x: Any) -> Any:
        return tl.tensor(TensorHandle(function(x.handle.data), x.handle.dtype), x.type)

    return apply
