"""Statements whose AttributeError the code around them catches, and goes on."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from syncbot.api.expressions import FunctionNode, dotted

_WIDE = {"Exception", "BaseException"}


def catches_attribute_error(parents: Sequence[ast.AST], node: ast.AST) -> bool:
    """Whether a ``try`` around a node, in the same function, goes on without an attribute: a handler names
    the error, or a wide one stands behind a single statement, and does not raise."""
    inner = node
    for parent in reversed(parents):
        if isinstance(parent, FunctionNode | ast.Lambda | ast.ClassDef):
            return False
        if isinstance(parent, ast.Try) and any(inner is statement for statement in parent.body):
            handler = next((h for h in parent.handlers if _is_for(h, len(parent.body))), None)
            if handler is not None:
                return not any(isinstance(n, ast.Raise) for s in handler.body for n in ast.walk(s))
        inner = parent
    return False


def _is_for(handler: ast.ExceptHandler, statements: int) -> bool:
    types = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    names = {
        (dotted(type_) or "").rpartition(".")[2] if type_ is not None else "Exception" for type_ in types
    }
    return "AttributeError" in names or (statements == 1 and not names.isdisjoint(_WIDE))
