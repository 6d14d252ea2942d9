"""Constructors that set all that is left of their keywords on the object."""

from __future__ import annotations

import ast

from syncbot.api.every_node import every_node
from syncbot.api.expressions import FunctionNode
from syncbot.api.model import Function
from syncbot.api.symbols import Symbol
from syncbot.api.universe import Universe
from syncbot.contracts.function_sources import function_node


def keeps_the_rest(universe: Universe, class_: Symbol) -> bool:
    """Whether a constructor of a class, or of one above it, sets what it does not know on self."""
    for owner in universe.lineage(class_).classes:
        for function in universe.defined(owner, "__init__"):
            if not isinstance(function, Function):
                continue
            catcher = next((p.name for p in function.parameters if p.kind == "**"), "")
            node = function_node(universe, owner.module, function, owner.qualname) if catcher else None
            if node is not None and _sets_all(node, catcher):
                return True
    return False


def _sets_all(node: FunctionNode, catcher: str) -> bool:
    """Whether ``setattr(self, key, …)`` stands in a loop over the keywords, or they go to ``__dict__``."""
    own = node.args.args[0].arg if node.args.args else ""
    for inner in every_node(node):
        match inner:
            case ast.For(
                target=ast.Tuple(elts=[ast.Name(id=key), *_]) | ast.Name(id=key),
                iter=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="items")) | ast.Name(id=name),
            ) if name == catcher:
                if any(_is_set(call, own, key) for call in every_node(inner)):
                    return True
            case ast.Call(
                func=ast.Attribute(
                    value=ast.Attribute(value=ast.Name(id=name), attr="__dict__")
                    | ast.Call(func=ast.Name(id="vars"), args=[ast.Name(id=name)]),
                    attr="update",
                ),
                args=[ast.Name(id=given)],
            ) if (name, given) == (own, catcher):
                return True
    return False


def _is_set(node: ast.AST, own: str, key: str) -> bool:
    match node:
        case ast.Call(func=ast.Name(id="setattr"), args=[ast.Name(id=owner), ast.Name(id=name), _]):
            return (owner, name) == (own, key)
    return False
