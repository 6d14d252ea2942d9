"""The built-in types of values that are written out."""

from __future__ import annotations

import ast

from syncbot.api.expressions import expression

_WRITTEN: dict[type[ast.expr], type] = {
    ast.Dict: dict,
    ast.DictComp: dict,
    ast.List: list,
    ast.ListComp: list,
    ast.Set: set,
    ast.SetComp: set,
    ast.Tuple: tuple,
    ast.JoinedStr: str,
}


def written_type(value: str | None) -> type | None:
    """The type of a list, a dictionary or the like that a text writes out; None for another expression."""
    node = expression(value) if value is not None else None
    return next((type_ for kind, type_ in _WRITTEN.items() if isinstance(node, kind)), None)
