"""How a function of the backend uses what its names stand for."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from syncbot.api.every_node import children, every_node
from syncbot.api.expressions import FunctionNode, dotted
from syncbot.contracts.calls.operations import operation

#: What does something with a value that stands right below it.
USING = (
    *(ast.Subscript, ast.Call, ast.Assign, ast.AnnAssign, ast.Attribute, ast.keyword, ast.Dict),
    *(ast.For, ast.comprehension, ast.Starred, ast.Compare, ast.BinOp, ast.UnaryOp, ast.FormattedValue),
)
#: How the use begins that computes something with a value; the steps follow, with bars between.
COMPUTING = "compute "
# Not the end of another word, as of conversion.
_VERSION = re.compile(r"(?<![a-z])version|(?<![A-Z])VERSION|Version")
_TESTING = {"isinstance", "type", "callable", "hasattr", "getattr"}
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
                    uses.setdefault(child.id, []).extend(each_use(child, (node,)))
    return uses


@lru_cache(maxsize=4)
def tested_in(function: FunctionNode | None) -> frozenset[str]:
    """The dotted names of whose values a function tells the types apart, or what they have."""
    body = function.body if function is not None else ()
    return frozenset(
        name
        for statement in body
        for node in every_node(statement)
        if isinstance(node, ast.Call) and node.args and isinstance(node.func, ast.Name)
        if node.func.id in _TESTING and (name := dotted(node.args[0])) is not None
    )


@lru_cache(maxsize=4)
def used_by_version(function: FunctionNode | None) -> frozenset[str]:
    """The names that a function uses where a test says something of a version: in more ways than one."""
    tested = (
        node
        for statement in (function.body if function is not None else ())
        for node in every_node(statement)
        if isinstance(node, ast.If) and _VERSION.search(ast.unparse(node.test))
    )
    return frozenset(
        name.id
        for node in tested
        for statement in (*node.body, *node.orelse)
        for name in every_node(statement)
        if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Load)
    )


def each_use(node: ast.expr, parents: Sequence[ast.AST]) -> Iterator[str]:
    """How a value is used by what is around it, as :func:`use_of` has it, and ``compute _ + int``."""
    direct = use_of(node, parents[-1])
    if direct is not None:
        yield direct
    elif steps := operation(node, parents):
        yield f"{COMPUTING}{'|'.join(steps)}"


def use_of(node: ast.AST, parent: ast.AST | None) -> str | None:
    """How a node is used by the one around it: ``index``, ``len``, ``next``, ``iterate``, ``contains``,
    ``spread``, ``unpack 2`` or ``attribute x``; None for none of these."""
    match parent:
        case ast.Subscript(value=value, ctx=ast.Load()) if value is node:
            return "index"
        case ast.Call(func=ast.Name(id="len" | "next" as name), args=[value, *_]) if value is node:
            return name
        case ast.Call(func=ast.Name(id=name), args=[value]) if value is node and name in _ITERATING:
            return "iterate"
        case ast.keyword(arg=None, value=value) if value is node:
            return "spread"
        case ast.Dict(keys=keys, values=values):
            spread = any(key is None and value is node for key, value in zip(keys, values, strict=True))
            return "spread" if spread else None
        case ast.For(iter=value) | ast.comprehension(iter=value) | ast.Starred(value=value) if value is node:
            return "iterate"
        case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[value]) if value is node:
            return "contains"
        case ast.Assign(targets=[ast.Tuple(elts=targets)], value=value) if value is node:
            return f"unpack {len(targets)}" if not any(isinstance(t, ast.Starred) for t in targets) else None
        case ast.Attribute(value=value, attr=attr, ctx=ast.Load()) if value is node:
            return f"attribute {attr}"
    return None


def takers(call: ast.Call, parents: Sequence[ast.AST]) -> tuple[ast.expr, Sequence[ast.AST]]:
    """Return what a call gives, once it was awaited, and the nodes around that."""
    given: ast.expr = call
    while parents and isinstance(parents[-1], ast.Await):
        given, parents = parents[-1], parents[:-1]
    return given, parents


def taker(call: ast.Call, parents: Sequence[ast.AST]) -> tuple[ast.AST, ast.AST | None]:
    """Return what a call gives, once it was awaited, and the node around that."""
    given, around = takers(call, parents)
    return given, around[-1] if around else None
