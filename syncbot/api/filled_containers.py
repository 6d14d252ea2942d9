"""Finds the values that the methods of a class put into the containers that it creates empty."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

from syncbot.api.every_node import every_node
from syncbot.api.expressions import FunctionNode, short_text
from syncbot.api.local_values import LocalValues
from syncbot.api.model import Attribute

_LISTS = ("[]", "list()", "set()", "deque()", "collections.deque()")
_MAPPINGS = ("{}", "dict()", "OrderedDict()", "collections.OrderedDict()")
_ADDING = ("append", "appendleft", "add")


def filled(
    attributes: Sequence[Attribute], methods: Iterable[FunctionNode], source: bytes
) -> tuple[Attribute, ...]:
    """Return the values put into attributes that have no annotation and are only ever assigned an empty
    container, each as an attribute whose ``value`` is one element. ``source`` is the text of the class."""
    given: dict[str, set[str | None]] = {}
    for attribute in attributes:
        given.setdefault(attribute.name, set()).add(attribute.annotation or attribute.value)
    begun = {n for n, values in given.items() if len(values) == 1 and values <= {*_LISTS, *_MAPPINGS}}
    begun = {n for n in begun if f".{n}[".encode() in source or f".{n}.".encode() in source}
    return tuple(put for method in methods for put in _put_in(method, begun)) if begun else ()


def is_empty(value: str) -> bool:
    """Whether the text of a value is that of an empty container."""
    return value in _LISTS or value in _MAPPINGS


def is_mapping(empty: str) -> bool:
    """Whether the text of an empty container is that of a dictionary."""
    return empty in _MAPPINGS


def _put_in(method: FunctionNode, begun: set[str]) -> Iterator[Attribute]:
    """Yield the elements that one method puts into containers of its first parameter."""
    arguments = [*method.args.posonlyargs, *method.args.args]
    if not arguments:
        return
    receiver, known = arguments[0].arg, LocalValues(method)
    for statement in method.body:
        for node in every_node(statement):
            match node:
                case ast.Assign(
                    targets=[ast.Subscript(value=ast.Attribute(value=ast.Name(id=name), attr=attr))],
                    value=value,
                ):
                    pass
                case ast.Call(
                    func=ast.Attribute(value=ast.Attribute(value=ast.Name(id=name), attr=attr), attr=adding),
                    args=[value],
                ) if adding in _ADDING:
                    pass
                case _:
                    continue
            if name == receiver and attr in begun:
                meant = short_text(known.meant(value))
                yield Attribute(attr, node.lineno, None, meant, method.name)
