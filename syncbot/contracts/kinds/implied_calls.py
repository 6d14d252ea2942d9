"""Functions that a built-in function is handed to call with so many arguments: ``map(f, a, b)``."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from syncbot.api.signatures import Arguments
from syncbot.contracts.calls.callees import callee
from syncbot.contracts.calls.targets import CallContract, defining
from syncbot.contracts.context import Context
from syncbot.contracts.registry import finder

# By the last part of what is called: which keyword tells what to call, with so many arguments.
_BY_KEYWORD = {
    **dict.fromkeys(("sorted", "min", "max", "sort", "groupby", "nlargest", "nsmallest"), ("key", 1)),
    **dict.fromkeys(("field", "attrib", "ib"), ("default_factory", 0)),
}
_LEADING = {"map", "filter", "filterfalse", "takewhile", "dropwhile", "reduce", "defaultdict"}


@finder(ast.Call)
def find_implied_calls(node: ast.Call, context: Context) -> Iterator[CallContract]:
    """The upstream functions and classes that are called so."""
    found = _called(node)
    if found is None or not isinstance(found[0], ast.Name | ast.Attribute):
        return
    named = callee(found[0], context.place(found[0]), context)
    target = defining(named, context.universe) if named is not None else None
    # A function of the backend of that name does something else.
    if named is None or target is None or not context.is_upstream(target) or context.infer(node.func):
        return
    yield replace(named, arguments=Arguments(found[1], ()), used=False)


def _called(node: ast.Call) -> tuple[ast.expr, int] | None:
    """What a call has called, and with how many arguments by place; None where it has nothing called."""
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if name in _BY_KEYWORD:
        keyword, several = _BY_KEYWORD[name]
        return next(((k.value, several) for k in node.keywords if k.arg == keyword), None)
    if name not in _LEADING or node.keywords or any(isinstance(a, ast.Starred) for a in node.args):
        return None
    return _called_first(name, node)


def _called_first(name: str, node: ast.Call) -> tuple[ast.expr, int] | None:
    """The same for what is called by the first argument of a call."""
    match name, isinstance(node.func, ast.Name), node.args:
        case "map", True, [function, _, *_]:
            return function, len(node.args) - 1
        # An executor's, or a pool's: what further arguments mean depends on that.
        case (("map" | "filter" | "filterfalse" | "takewhile" | "dropwhile"), _, [function, several]):
            return (function, 1) if not isinstance(several, ast.Constant) else None
        case "reduce", _, [function, _] | [function, _, _]:
            return function, 2
        case "defaultdict", _, [function, *_]:
            return function, 0
    return None
