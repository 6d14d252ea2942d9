"""How a function of the backend uses what its names stand for."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from functools import lru_cache

from syncbot.api.every_node import children, every_node
from syncbot.api.expressions import FunctionNode

#: What does something with a value that stands right below it.
USING = (
    *(ast.Subscript, ast.Call, ast.Assign, ast.AnnAssign, ast.Attribute),
    *(ast.For, ast.comprehension, ast.Starred, ast.Compare),
)
_ITERATING = {"enumerate", "list", "tuple", "set", "sorted", "sum", "iter", "any", "all", "max", "min"}


@lru_cache(maxsize=4)
def uses_in(function: FunctionNode) -> Mapping[str, Sequence[str]]:
    """How a function uses each name in it, in the order of its source: one look for all calls in it."""
    uses: dict[str, list[str]] = {}
    for statement in function.body:
        for node in every_node(statement):
            if not isinstance(node, USING):
                continue
            for child in children(node):
                if isinstance(child, ast.Name) and isinstance(child.ctx, ast.Load):
                    use = use_of(child, node)
                    if use is not None:
                        uses.setdefault(child.id, []).append(use)
    return uses


def use_of(node: ast.AST, parent: ast.AST | None) -> str | None:
    """How a node is used by the one around it: ``index``, ``len``, ``next``, ``iterate``, ``contains``,
    ``unpack 2`` or ``attribute x``; None for none of these."""
    match parent:
        case ast.Subscript(value=value, ctx=ast.Load()) if value is node:
            return "index"
        case ast.Call(func=ast.Name(id="len" | "next" as name), args=[value, *_]) if value is node:
            return name
        case ast.Call(func=ast.Name(id=name), args=[value]) if value is node and name in _ITERATING:
            return "iterate"
        case ast.For(iter=value) | ast.comprehension(iter=value) | ast.Starred(value=value) if value is node:
            return "iterate"
        case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[value]) if value is node:
            return "contains"
        case ast.Assign(targets=[ast.Tuple(elts=targets)], value=value) if value is node:
            return f"unpack {len(targets)}" if not any(isinstance(t, ast.Starred) for t in targets) else None
        case ast.Attribute(value=value, attr=attr, ctx=ast.Load()) if value is node:
            return f"attribute {attr}"
    return None


def taker(call: ast.Call, parents: Sequence[ast.AST]) -> tuple[ast.AST, ast.AST | None]:
    """What a call gives, once it was awaited, and the node around that."""
    given: ast.AST = call
    while parents and isinstance(parents[-1], ast.Await):
        given, parents = parents[-1], parents[:-1]
    return given, parents[-1] if parents else None
