"""Distinguishes the functions of a class: methods, static methods, class methods, parts of properties."""

from __future__ import annotations

from collections.abc import Sequence

from syncbot.api.model import Function
from syncbot.api.signatures import Signature
from syncbot.api.symbols import Member


def is_property(function: Function) -> bool:
    """Whether the function is part of a property: the one that reads it, or one that sets or deletes it."""
    names = (decorator.rpartition(".")[2] for decorator in function.decorators)
    return is_accessor(function) or any(
        name == "getter" or name.endswith(("property", "attribute")) for name in names
    )


def is_accessor(function: Function) -> bool:
    """Whether the function sets or deletes a property."""
    return any(d.endswith((".setter", ".deleter")) for d in function.decorators)


def is_read_only(member: Member) -> bool:
    """Whether the member is a property that cannot be set; a cached one can."""
    plain = any(_is_decorated(f, "property", "abstractproperty") for f in member.functions)
    return plain and not member.attributes and not any(map(is_accessor, member.functions))


def definition(functions: Sequence[Function]) -> Function:
    """The one of a name's definitions that counts: the last, for a property the one that reads it."""
    return next((f for f in reversed(functions) if not is_accessor(f)), functions[-1])


def is_static(function: Function) -> bool:
    """Whether the function is a static method."""
    return _is_decorated(function, "staticmethod", "abstractstaticmethod")


def is_classmethod(function: Function) -> bool:
    """Whether the function is a class method."""
    return _is_decorated(function, "classmethod", "abstractclassmethod")


def method_signature(function: Function) -> Signature:
    """Return the signature of a method without the receiver; each of several overloads has its own."""
    return Signature(function.parameters[0 if is_static(function) else 1 :])


def _is_decorated(function: Function, *names: str) -> bool:
    return any(d.rpartition(".")[2] in names for d in function.decorators)


_ASYNCHRONOUS = ("AsyncIterator", "AsyncIterable", "AsyncGenerator")


def gives_coroutine(function: Function) -> bool | None:
    """Whether a call gives what is awaited; None for what ``async for`` goes through, which a function with
    or without ``async`` gives."""
    head = (function.annotation or "").strip("'\"").partition("[")[0].rpartition(".")[2]
    if function.is_generator or not function.is_async:
        return None if function.is_async or head in _ASYNCHRONOUS else False
    # What only says what its overrides give has nothing to yield.
    return None if head in _ASYNCHRONOUS and (function.abstract or function.unimplemented) else True
