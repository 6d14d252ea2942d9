"""The operators of the simulated device: declared with real schemas, computed by references, counted.

An operator's name is that of its schema, with the overload; where its namespace is not torch_npu's own, the namespace
stands before it: ``npu_swiglu``, ``_C_ascend::bgmv_expand``.
"""

import functools
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import torch

NAMESPACE = "npu"

#: Calls of every operator in this process, by name with overload.
calls: Counter[str] = Counter()

Function = TypeVar("Function", bound=Callable[..., Any])

_references: dict[str, Callable[..., Any]] = {}
_fakes: dict[str, Callable[..., Any]] = {}
#: torch withdraws operators when their library object dies.
_libraries: list[torch.library.Library] = []


def reference(name: str) -> Callable[[Function], Function]:
    """Register the decorated function as the reference of the operator ``name`` (with overload)."""

    def decorate(function: Function) -> Function:
        _references[name] = function
        return function

    return decorate


def fake(name: str) -> Callable[[Function], Function]:
    """Register the decorated function as what the operator ``name`` returns for fake tensors.

    It makes tensors of the right shapes and dtypes without reading any values, and demands of its arguments
    what can be told without values.
    """

    def decorate(function: Function) -> Function:
        _fakes[name] = function
        return function

    return decorate


def implemented() -> frozenset[str]:
    """Return the names of the operators that have a reference; they have a fake, too."""
    return frozenset(_references)


def declare(schemas: Mapping[str, str], namespace: str = NAMESPACE) -> None:
    """Declare all operators of a namespace in torch; those without a reference raise with their name when called."""
    library = torch.library.Library(namespace, "FRAGMENT")
    for bare, schema in schemas.items():
        name = bare if namespace == NAMESPACE else f"{namespace}::{bare}"
        library.define(schema)
        if name not in _references:
            library.impl(bare, _missing(name, schema), "CompositeExplicitAutograd")
            continue
        library.impl(bare, _counted(name, _references[name]), "CPU")
        torch.library.register_fake(f"{namespace}::{bare}", _fakes[name], lib=library)
    _libraries.append(library)


def _counted(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def kernel(*arguments: Any, **keywords: Any) -> Any:
        calls[name] += 1
        return function(*arguments, **keywords)

    return kernel


def _missing(name: str, schema: str) -> Callable[..., Any]:
    def kernel(*arguments: Any, **keywords: Any) -> Any:
        raise NotImplementedError(
            f"the simulated NPU has no reference implementation of {name}; it would be of {schema}"
        )

    return kernel
