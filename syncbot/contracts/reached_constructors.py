"""Whose constructors run where an object of a class of the backend is made."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from syncbot.api.every_node import every_node
from syncbot.api.expressions import FunctionNode, dotted
from syncbot.api.symbols import Symbol
from syncbot.contracts.context import Context


def constructor(node: ast.AST | None) -> ast.FunctionDef | None:
    """The ``__init__`` in the body of a class."""
    body = node.body if isinstance(node, ast.ClassDef) else []
    return next((s for s in body if isinstance(s, ast.FunctionDef) and s.name == "__init__"), None)


def reached_constructors(own: Symbol, body: Sequence[ast.stmt], context: Context) -> set[str]:
    """The classes above ``own`` whose ``__init__`` the methods in its body run: those named and their
    ancestors, those behind ``super(C, self)``, or all by a plain ``super()``. Some classes have a method of
    their own for what makes an object ready later."""
    reached: set[str] = set()
    chain = [c.name for c in context.universe.lineage(own).classes]
    methods = [n for n in body if isinstance(n, FunctionNode)]
    for receiver in (r for method in methods for r in initialised(method)):
        behind = isinstance(receiver, ast.Call)
        if is_plain_super(receiver):
            return set(chain[1:])
        target = receiver.args[0] if isinstance(receiver, ast.Call) and receiver.args else receiver
        value = context.infer(target)
        symbol = context.universe.resolve(value.symbol.name) if value is not None else None
        if symbol is None or symbol.kind != "class":
            continue
        if behind and symbol.name in chain:
            reached.update(chain[chain.index(symbol.name) + 1 :])
        else:
            reached.update(c.name for c in context.universe.lineage(own if behind else symbol).classes)
    return reached


def is_plain_super(receiver: ast.expr) -> bool:
    """Whether an expression is ``super()``."""
    return isinstance(receiver, ast.Call) and dotted(receiver.func) == "super" and not receiver.args


def initialised(method: FunctionNode) -> Iterator[ast.expr]:
    """Yield what a method calls ``__init__`` of."""
    for call in every_node(method):
        match call:
            case ast.Call(func=ast.Attribute(value=receiver, attr="__init__")):
                yield receiver
