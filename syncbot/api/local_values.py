"""Finds the values of a function's local names that are bound only once."""

from __future__ import annotations

import ast
from collections import Counter
from functools import cached_property

from syncbot.api.every_node import every_node
from syncbot.api.expressions import FunctionNode, named_arguments


class LocalValues:
    """The names of one function that stand for a call or an attribute."""

    def __init__(self, function: FunctionNode) -> None:
        self._function = function

    def meant(self, value: ast.expr | None) -> ast.expr | None:
        """An expression, or what it stands for where it is but such a name."""
        if not isinstance(value, ast.Name) or value.id in self._parameters:
            return value
        return self._values.get(value.id, value)

    @cached_property
    def _parameters(self) -> set[str]:
        return {argument.arg for argument in named_arguments(self._function.args)}

    @cached_property
    def _values(self) -> dict[str, ast.expr]:
        given: dict[str, ast.expr] = {}
        bound: Counter[str] = Counter(
            a.arg for a in every_node(self._function.args) if isinstance(a, ast.arg)
        )
        for statement in self._function.body:
            for node in every_node(statement):
                match node:
                    case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                        bound[name] += 1
                    case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() | ast.Attribute() as value):
                        given[name] = value
                    case ast.Global(names=names) | ast.Nonlocal(names=names):
                        bound.update(dict.fromkeys(names, 2))
        return {name: value for name, value in given.items() if bound[name] == 1}
