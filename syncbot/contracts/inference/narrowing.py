"""What conditions say of the class of a name or of an attribute."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from functools import lru_cache

from syncbot.api.expressions import dotted, expression


def narrowed(guards: Sequence[str]) -> dict[str, str]:
    """The classes, as written, that the conditions around a piece of code leave to dotted names."""
    found: dict[str, str] = {}
    for guard in guards:
        kind, _, test = guard.partition(" ")
        if kind in ("if", "else") and ("isinstance(" in test or " is " in test):
            found.update(_told(test, kind == "if"))
    return found


def asserted(test: ast.expr) -> Iterator[tuple[str, str]]:
    """The same for a condition that holds: dotted names, each with its class as written."""
    match test:
        case ast.BoolOp(op=ast.And(), values=values):
            for value in values:
                yield from asserted(value)
        case ast.Call(func=ast.Name(id="isinstance"), args=[tested, kind]):
            yield from _pair(tested, kind)
        # A case of a match statement: nobody asks whether something is what he makes.
        case ast.Compare(left=tested, ops=[ast.Is()], comparators=[ast.Call(func=kind)]):
            yield from _pair(tested, kind)


@lru_cache(maxsize=4096)
def _told(test: str, holds: bool) -> tuple[tuple[str, str], ...]:
    node = expression(test)
    if not holds:
        node = node.operand if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not) else None
    return tuple(asserted(node)) if node is not None else ()


def _pair(tested: ast.expr, kind: ast.expr) -> Iterator[tuple[str, str]]:
    name, class_ = dotted(tested), dotted(kind)
    if name is not None and class_ is not None:
        yield name, class_
