"""Classes whose objects are not changed once they are made.

Sources: https://docs.python.org/3/library/dataclasses.html#frozen-instances,
https://docs.python.org/3/library/collections.html#collections.namedtuple,
https://docs.pydantic.dev/latest/api/config/#pydantic.config.ConfigDict.frozen and
https://jcristharif.com/msgspec/structs.html#frozen-instances.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from syncbot.api.expressions import dotted, expression


def is_frozen(decorators: Sequence[str]) -> bool | None:
    """Whether a class with these decorators is a frozen dataclass; None if it is none, or cannot be told."""
    return dataclass_option(decorators, "frozen", default=False)


def dataclass_option(decorators: Sequence[str], name: str, *, default: bool) -> bool | None:
    """Return what the decorators of a dataclass say of an option; None if it is none, or cannot be told."""
    for text in decorators:
        node = expression(text)
        called = node.func if isinstance(node, ast.Call) else node
        if called is None or (dotted(called) or "").rpartition(".")[2] != "dataclass":
            continue
        given = {k.arg: k.value for k in node.keywords} if isinstance(node, ast.Call) else {}
        match given.get(name, ast.Constant(value=default)):
            case ast.Constant(value=bool(told)) if None not in given:
                return told
        return None
    return None
