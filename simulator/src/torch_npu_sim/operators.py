"""The operators of the simulated device: declared with real schemas, computed by references, counted.

An operator's name is that of its schema, with the overload; where its namespace is not torch_npu's own, the namespace
stands before it: ``npu_swiglu``, ``_C_ascend::bgmv_expand``.
"""

import functools
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, NoReturn, TypeVar

import torch
from torch.utils import _pytree

NAMESPACE = "npu"

#: Calls of every operator in this process, by name with overload.
calls: Counter[str] = Counter()
#: What computes an operator instead of its reference: faults that a run has to notice.
replaced: dict[str, Callable[..., Any]] = {}

Function = TypeVar("Function", bound=Callable[..., Any])

_references: dict[str, Callable[..., Any]] = {}
#: Operators that take tensors of the host beside those of the device.
_of_both: set[str] = set()
#: Operators that work on the host: their reference is called with what they are given.
_of_host: set[str] = set()
_fakes: dict[str, Callable[..., Any]] = {}
#: torch withdraws operators when their library object dies.
_libraries: list[torch.library.Library] = []


def reference(name: str, *, host_tensors: bool = False, on_host: bool = False) -> Callable[[Function], Function]:
    """Register the decorated function as the reference of the operator ``name`` (with overload).

    It is called with tensors of the CPU, which share the memory of those of the device. ``host_tensors`` says that the
    operator takes tensors of the host, too; one ``on_host`` gets what it is given, and has no fake.
    """

    def decorate(function: Function) -> Function:
        _references[name] = function
        if host_tensors:
            _of_both.add(name)
        if on_host:
            _of_host.add(name)
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
    """Return the names of the operators that have a reference; those that do not work on the host have a fake, too."""
    return frozenset(_references)


def kernels(name: str) -> tuple[Callable[..., Any], ...]:
    """Return the reference of an operator and, unless it works on the host, its fake."""
    return (_references[name], _fakes[name]) if name in _fakes else (_references[name],)


def declare(schemas: Mapping[str, str], namespace: str = NAMESPACE) -> None:
    """Declare all operators of a namespace in torch; those without a reference raise with their name when called."""
    library = torch.library.Library(namespace, "FRAGMENT")
    for bare, schema in schemas.items():
        name = bare if namespace == NAMESPACE else f"{namespace}::{bare}"
        library.define(schema)
        if name not in _references:
            library.impl(bare, _missing(name, schema), "CompositeExplicitAutograd")
            continue
        kernel = _counted(name, _references[name])
        if name in _of_host:
            library.impl(bare, kernel, "CompositeExplicitAutograd")
            continue
        library.impl(bare, over_host_memory(name, kernel), "PrivateUse1")
        torch.library.register_fake(f"{namespace}::{bare}", _fakes[name], lib=library)
    _libraries.append(library)


def _counted(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def kernel(*arguments: Any, **keywords: Any) -> Any:
        calls[name] += 1
        return replaced.get(name, function)(*arguments, **keywords)

    return kernel


def over_host_memory(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a kernel for tensors of npu: the function sees their memory; what it returns is an argument, or of npu."""
    from torch_npu_sim import device

    @functools.wraps(function)
    def kernel(*arguments: Any, **keywords: Any) -> Any:
        given: list[tuple[torch.Tensor, torch.Tensor]] = []

        def alias(tensor: torch.Tensor) -> torch.Tensor:
            if tensor.device.type == "cpu":
                if name in _of_both:
                    return tensor
                raise RuntimeError(
                    f"{name}: Expected all tensors to be on the same device. Expected NPU tensor, "
                    "please check whether the input tensor device is correct."
                )
            given.append((device.host(tensor), tensor))
            return given[-1][0]

        def returned(result: torch.Tensor) -> torch.Tensor:
            same = [tensor for shown, tensor in given if shown is result]
            return same[0] if same else device.device(result, given[0][1].device.index)

        seen, named = _pytree.tree_map_only(torch.Tensor, alias, (arguments, keywords))
        return _pytree.tree_map_only(torch.Tensor, returned, function(*seen, **named))

    return kernel


def _missing(name: str, schema: str) -> Callable[..., Any]:
    def kernel(*arguments: Any, **keywords: Any) -> Any:
        refuse(name, schema)

    return kernel


def refuse(name: str, schema: str) -> NoReturn:
    """Raise NotImplementedError for an operator without a reference. Whoever goes on without it would go another way
    once there is one: who records what runs sees it here."""
    raise NotImplementedError(f"the simulated NPU has no reference implementation of {name}; it would be of {schema}")
