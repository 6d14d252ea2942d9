"""The parameters of a lambda that a built-in function calls with the elements of a container."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from syncbot.api.expressions import dotted
from syncbot.contracts.inference.declared_types import each

#: Functions that call what they are given as ``key`` with each element of their first argument.
_BY_KEY = {"sorted", "max", "min", "groupby", "nlargest", "nsmallest"}
#: Functions that call their first argument with the elements of the others, side by side.
_FIRST = {"map", "filter", "takewhile", "dropwhile", "filterfalse"}


def handed_to_lambda(node: ast.Lambda, parents: Sequence[ast.AST]) -> dict[str, list[ast.expr]]:
    """The parameters of a lambda, each with an expression for what it is; without those of which nothing says
    so. ``parents`` are the nodes around, the outermost first."""
    names = [a.arg for a in (*node.args.posonlyargs, *node.args.args)]
    handed = handed_containers(node, parents)
    return {
        name: [value]
        for parameter, several in zip(names, handed, strict=False)
        for name, value in each(ast.Name(id=parameter), several)
    }


def handed_containers(node: ast.expr, parents: Sequence[ast.AST]) -> Sequence[ast.expr]:
    """The containers whose elements a lambda, or another function, is called with where it is written."""
    match parents[-2:]:
        case [ast.Call(func=func, args=args), ast.keyword(arg="key")]:
            if isinstance(func, ast.Attribute) and func.attr == "sort" and not args:
                return [func.value]
            several = [a for a in args if not isinstance(a, ast.Constant)]
            return several[:1] if _last(func) in _BY_KEY and len(several) == 1 else []
        case [*_, ast.Call(func=func, args=[first, *several])] if first is node and _last(func) in _FIRST:
            return several
    return []


def _last(func: ast.expr) -> str:
    return (dotted(func) or "").rpartition(".")[2]
