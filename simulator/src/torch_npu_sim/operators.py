"""The operators of the simulated device: declared with real schemas, computed by references, counted."""

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
_library: torch.library.Library | None = None


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


def declare(schemas: Mapping[str, str]) -> None:
    """Declare all operators in torch; those without a reference raise with their name when called."""
    global _library
    library = torch.library.Library(NAMESPACE, "DEF")
    for name, schema in schemas.items():
        library.define(schema)
        if name not in _references:
            library.impl(name, _missing(name), "CompositeExplicitAutograd")
            continue
        library.impl(name, _counted(name, _references[name]), "CPU")
        torch.library.register_fake(f"{NAMESPACE}::{name}", _fakes[name], lib=library)
    # torch withdraws the operators when the library object dies.
    _library = library


def _counted(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def kernel(*arguments: Any, **keywords: Any) -> Any:
        calls[name] += 1
        return function(*arguments, **keywords)

    return kernel


def _missing(name: str) -> Callable[..., Any]:
    def kernel(*arguments: Any, **keywords: Any) -> Any:
        raise NotImplementedError(f"the simulated NPU has no reference implementation of {name}")

    return kernel
