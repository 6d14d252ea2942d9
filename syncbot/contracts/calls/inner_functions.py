"""Functions that stand inside others, which no dotted name leads to."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import lru_cache

from syncbot.api.every_node import every_node
from syncbot.api.expressions import FunctionNode
from syncbot.contracts.context import Context


def inner_function(name: str, context: Context) -> FunctionNode | None:
    """The one function that a name stands for in the functions around; None where something else may be
    bound to it."""
    for function in (p for p in reversed(context.parents) if isinstance(p, FunctionNode)):
        if name in (found := _bindings(function)):
            return found[name]
    return None


def returned_function(node: FunctionNode) -> FunctionNode | None:
    """The function that one defines in its body and returns at its end."""
    last = node.body[-1] if node.body else None
    if not isinstance(last, ast.Return) or not isinstance(last.value, ast.Name):
        return None
    return _bindings(node).get(last.value.id)


@lru_cache(maxsize=4)
def _bindings(function: FunctionNode) -> Mapping[str, FunctionNode | None]:
    """The names that are bound inside a function, each with the definition if that is the only one."""
    found: dict[str, FunctionNode | None] = {}
    for statement in function.body:
        for node in every_node(statement):
            match node:
                case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                    found[name] = None if name in found else node
                case ast.Name(id=name, ctx=ast.Store()):
                    found[name] = None
    return found
