"""Variables that are given one value in each of several branches of a function."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from syncbot.api.expressions import FunctionNode, is_none

_Block = tuple[int, str]


def given_in_branches(name: str, function: FunctionNode) -> bool:
    """Whether no statement that gives a variable something comes after another one: each stands in a branch
    of its own. What gives it None is left out."""
    places = list(_given(function, name, ()))
    return len(places) > 1 and not any(
        one is not other and other[: len(one)] == one for one in places for other in places
    )


def _given(node: ast.AST, name: str, around: tuple[_Block, ...]) -> Iterator[tuple[_Block, ...]]:
    """The blocks around each statement that assigns to a name in a node."""
    for field in ("body", "orelse", "handlers", "finalbody", "cases"):
        for statement in getattr(node, field, ()):
            here = (*around, (id(node), field))
            match statement:
                case ast.Assign(targets=targets, value=value) if not is_none(value):
                    if any(isinstance(target, ast.Name) and target.id == name for target in targets):
                        yield here
                case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                    continue
            yield from _given(statement, name, here)
