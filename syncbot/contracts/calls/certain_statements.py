"""The statements of a function that run whenever it does."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from syncbot.api.every_node import children

# What stands in these runs later, or on some condition.
_APART = (
    *(ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda),
    *(ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
)


def certain(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """The simple statements of a body that run unless one before them raises, in ``try`` and ``with`` too;
    they end where another one may leave the function."""
    for node in body:
        match node:
            case ast.With(body=inner) | ast.AsyncWith(body=inner):
                yield from certain(inner)
            case ast.Try(body=inner):
                yield from certain(inner)
            case ast.If() | ast.For() | ast.AsyncFor() | ast.While() | ast.Match():
                pass
            case _ if not isinstance(node, _APART):
                yield node
        if not isinstance(node, _APART) and any(isinstance(inner, ast.Return) for inner in _inside(node)):
            return


def evaluated(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes that are evaluated with a statement or expression: no branch of a condition, no function."""
    yield node
    for child in children(node):
        if isinstance(child, _APART):
            continue
        if isinstance(node, ast.IfExp) and child is not node.test:
            continue
        if isinstance(node, ast.BoolOp) and child is not node.values[0]:
            continue
        yield from evaluated(child)


def _inside(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a statement, those of definitions in it left out."""
    yield node
    for child in children(node):
        if not isinstance(child, _APART):
            yield from _inside(child)
