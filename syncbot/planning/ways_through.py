"""How often expressions of a function run on one way through it: branches that exclude each other are two."""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence

from syncbot.api.every_node import every_node

_NONE = -1


def most_on_one_way(statements: Sequence[ast.stmt], wanted: Collection[ast.AST]) -> int:
    """Return how many of some expressions one way through statements runs at most; in a loop each counts as
    two."""
    return max(_ways(statements, wanted))


def _ways(statements: Sequence[ast.stmt], wanted: Collection[ast.AST]) -> tuple[int, int]:
    """The most on ways that go on behind the statements, and on those that end in them."""
    on, ended = 0, _NONE
    for statement in statements:
        if on == _NONE:
            break
        match statement:
            case ast.If(test=test, body=body, orelse=orelse):
                head, branches = _count([test], wanted), [_ways(each, wanted) for each in (body, orelse)]
            case ast.With(items=items, body=body) | ast.AsyncWith(items=items, body=body):
                head, branches = _count(items, wanted), [_ways(body, wanted)]
            case ast.Return() | ast.Raise():
                head, branches = 0, [(_NONE, _count([statement], wanted))]
            case ast.For() | ast.AsyncFor() | ast.While():
                head, branches = 2 * _count([statement], wanted), [(0, _NONE)]
            case _:
                head, branches = _count([statement], wanted), [(0, _NONE)]
        ended = max(ended, *(on + head + most for _, most in branches if most != _NONE), _NONE)
        on = max((on + head + most for most, _ in branches if most != _NONE), default=_NONE)
    return on, ended


def _count(nodes: Sequence[ast.AST], wanted: Collection[ast.AST]) -> int:
    return sum(each in wanted for node in nodes for each in every_node(node))
