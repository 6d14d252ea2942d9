"""Statements whose AttributeError, or another error, the code around them catches, and goes on."""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence

from syncbot.api.every_node import every_node
from syncbot.api.expressions import FunctionNode, dotted

_WIDE = {"Exception", "BaseException"}


def catches_attribute_error(
    parents: Sequence[ast.AST], node: ast.AST, errors: Collection[str] = ("AttributeError",)
) -> bool:
    """Whether a ``try`` around a node, in the same function, goes on without an attribute: a handler names
    one of the ``errors``, or a wide one stands behind a single statement or nothing but patches, and does not
    raise."""
    inner = node
    for parent in reversed(parents):
        if isinstance(parent, FunctionNode | ast.Lambda | ast.ClassDef):
            return False
        if isinstance(parent, ast.Try) and any(inner is statement for statement in parent.body):
            handler = next((h for h in parent.handlers if _is_for(h, parent.body, errors)), None)
            if handler is not None:
                return not any(isinstance(n, ast.Raise) for s in handler.body for n in every_node(s))
        inner = parent
    return False


def _is_for(handler: ast.ExceptHandler, body: Sequence[ast.stmt], errors: Collection[str]) -> bool:
    types = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    names = {
        (dotted(type_) or "").rpartition(".")[2] if type_ is not None else "Exception" for type_ in types
    }
    if not names.isdisjoint(errors):
        return True
    return not names.isdisjoint(_WIDE) and (len(body) == 1 or all(map(_only_patches, body)))


def _only_patches(statement: ast.stmt) -> bool:
    """Whether a statement imports, or sets attributes: what is tried is to reach what is patched."""
    match statement:
        case ast.Assign(targets=targets):
            return all(isinstance(target, ast.Attribute) for target in targets)
    return isinstance(statement, ast.Import | ast.ImportFrom)
