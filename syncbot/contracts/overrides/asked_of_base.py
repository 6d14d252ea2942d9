"""Overrides whose class asks whether its base still has what they override."""

from __future__ import annotations

import ast

from syncbot.api.every_node import every_node
from syncbot.api.expressions import dotted
from syncbot.api.symbols import Member
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.function_sources import function_node


def asks_base(ours: Member, pair: Comparison) -> bool:
    """Whether a method of the class asks whether a base has what an override of it replaces:
    ``hasattr(super(), "name")``, ``getattr(Base, "name", None)``. An object of the class always has it."""
    body = pair.new.body(ours.owner)
    for function in body.functions if body is not None else ():
        node = function_node(pair.new, ours.owner.module, function, ours.owner.qualname)
        if node is not None and any(_is_asked(n, ours, pair) for n in every_node(node)):
            return True
    return False


def _is_asked(node: ast.AST, ours: Member, pair: Comparison) -> bool:
    match node:
        case ast.Call(
            func=ast.Name(id="hasattr" | "getattr"), args=[asked, ast.Constant(value=name), *_]
        ) if name == ours.name:
            return _is_base(asked, ours, pair)
    return False


def _is_base(node: ast.expr, ours: Member, pair: Comparison) -> bool:
    """Whether an expression is ``super()``, or names a class that the override's own derives from."""
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id == "super"
    written = dotted(node)
    found = pair.new.local(ours.owner.module, written) if written is not None else None
    bases = pair.new.lineage(ours.owner).classes[1:]
    return found is not None and found.name in {base.name for base in bases}
