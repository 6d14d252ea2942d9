"""Statements whose AttributeError, or another error, the code around them catches, and goes on."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Collection, Iterator, Sequence

from syncbot.api.every_node import every_node
from syncbot.api.expressions import FunctionNode, dotted
from syncbot.api.statement_parts import leaves_by_error

_WIDE = {"Exception", "BaseException"}


def catches_attribute_error(
    parents: Sequence[ast.AST], node: ast.AST, errors: Collection[str] = ("AttributeError",)
) -> bool:
    """Whether a ``try`` around a node, in the same function, goes on without an attribute: a handler names
    one of the ``errors``, or a wide one stands behind a single statement or nothing but patches, and does not
    raise."""
    for tried in _tries(parents, node):
        handler = next((h for h in tried.handlers if _is_for(h, tried.body, errors)), None)
        if handler is not None:
            return _goes_on(handler)
    return False


def caught_around(parents: Sequence[ast.AST], node: ast.AST) -> Iterator[str]:
    """The names of the errors after which a ``try`` around a node, in the same function, goes on; those of
    wide handlers behind a single statement only."""
    for tried in _tries(parents, node):
        for handler in filter(_goes_on, tried.handlers):
            names = _names(handler)
            yield from names if _is_single(tried.body) else names - _WIDE


def is_caught(raised: str, caught: Collection[str]) -> bool:
    """Whether one of the errors ``caught`` is the one that is raised, or one above it."""
    name = raised.rpartition(".")[2]
    class_ = getattr(builtins, name, Exception)
    above = class_.__mro__ if isinstance(class_, type) else ()
    return not {name, *(c.__name__ for c in above)}.isdisjoint(caught)


def _tries(parents: Sequence[ast.AST], node: ast.AST) -> Iterator[ast.Try]:
    """The statements around a node, in the same function, in whose body it is tried."""
    inner = node
    for parent in reversed(parents):
        if isinstance(parent, FunctionNode | ast.Lambda | ast.ClassDef):
            return
        if isinstance(parent, ast.Try) and any(inner is statement for statement in parent.body):
            yield parent
        inner = parent


def _goes_on(handler: ast.ExceptHandler) -> bool:
    return not any(leaves_by_error(n) for s in handler.body for n in every_node(s))


def _names(handler: ast.ExceptHandler) -> set[str]:
    types = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return {(dotted(type_) or "").rpartition(".")[2] if type_ is not None else "Exception" for type_ in types}


def _is_for(handler: ast.ExceptHandler, body: Sequence[ast.stmt], errors: Collection[str]) -> bool:
    names = _names(handler)
    return not names.isdisjoint(errors) or (not names.isdisjoint(_WIDE) and _is_single(body))


def _is_single(body: Sequence[ast.stmt]) -> bool:
    return len(body) == 1 or all(map(_only_patches, body))


def _only_patches(statement: ast.stmt) -> bool:
    """Whether a statement imports, or sets attributes: what is tried is to reach what is patched."""
    match statement:
        case ast.Assign(targets=targets):
            return all(isinstance(target, ast.Attribute) for target in targets)
    return isinstance(statement, ast.Import | ast.ImportFrom)
