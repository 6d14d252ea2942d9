"""Looks for what may be missing: the code around a subscript asks for the key first, or catches the error."""

from __future__ import annotations

import ast

from syncbot.contracts.conditions.caught_errors import catches_attribute_error
from syncbot.contracts.conditions.guards import asks_for_key
from syncbot.contracts.context import Context


def is_prepared(node: ast.expr, key: str, context: Context, *errors: str) -> bool:
    """Whether code runs only under a condition that speaks of a key, given as its text, or goes on after one
    of the ``errors`` that says that it is not there."""
    return asks_for_key(context.guards, key) or catches_attribute_error(context.parents, node, errors)
