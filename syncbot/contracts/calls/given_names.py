"""The one value that a variable of a function has wherever it is read."""

from __future__ import annotations

import ast

from syncbot.contracts.context import Context


def always_given(node: ast.expr, context: Context) -> ast.expr:
    """An expression, or the one that the variable it names is given, where that is one alone."""
    values = context.scope.values.get(node.id, ()) if isinstance(node, ast.Name) else ()
    return values[0] if len(values) == 1 else node
