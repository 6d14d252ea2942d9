"""Attributes that objects of a class of the backend always have as false, and what they keep from running."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from syncbot.api.symbols import Symbol
from syncbot.api.universe import Universe

_FALSE = ("False", "None", "0")


def is_always_false(own: Symbol, name: str, reached: Collection[str], universe: Universe) -> bool:
    """Whether the constructor of a class sets an attribute to something false, and nothing that may run on
    its objects sets it otherwise; of upstream's constructors those of ``reached`` run."""
    member = universe.member(own, name)
    if member is None or member.owner.name != own.name or member.functions:
        return False
    set_here = [a for a in member.attributes if a.origin]
    if not set_here or any(a.value not in _FALSE or a.origin != "__init__" for a in set_here):
        return False
    for ancestor in universe.lineage(own).classes[1:]:
        for node in universe.defined(ancestor, name):
            origin = getattr(node, "origin", "")
            if origin and (origin != "__init__" or ancestor.name in reached):
                return False
    return True


def asked_true(test: ast.expr) -> Iterator[str]:
    """The attributes of ``self`` that are true wherever a condition holds."""
    match test:
        case ast.BoolOp(op=ast.And(), values=values):
            for value in values:
                yield from asked_true(value)
        case ast.Attribute(value=ast.Name(id="self"), attr=attr):
            yield attr
