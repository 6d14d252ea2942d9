"""Looks for what may be missing: the code around a subscript asks for the key first, or catches the error."""

from __future__ import annotations

import ast
import re

from syncbot.contracts.conditions.caught_errors import catches_attribute_error
from syncbot.contracts.context import Context


def is_prepared(node: ast.expr, key: str, context: Context, *errors: str) -> bool:
    """Whether code runs only where a key, given as its text, is there, or goes on after one of the ``errors``
    that says that it is not."""
    text = re.escape(key)
    asked = re.compile(rf"{text} (not )?in\b|\bget\({text}[,)]")
    return any(map(asked.search, context.guards)) or catches_attribute_error(context.parents, node, errors)
