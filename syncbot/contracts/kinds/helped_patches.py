"""Monkey-patches that loops, functions and decorators of the backend make, each of what they are given."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import lru_cache

from syncbot.api.every_node import every_node
from syncbot.api.expressions import FunctionNode
from syncbot.api.function_text import function_text
from syncbot.api.remembered_answers import remembered
from syncbot.api.symbols import Symbol
from syncbot.api.universe import Universe
from syncbot.contracts.calls.given_functions import is_harmless
from syncbot.contracts.calls.made_functions import Standing, definition_of
from syncbot.contracts.calls.placing_statements import Placing, Put, bound_arguments, may_put
from syncbot.contracts.calls.written_elements import written_elements
from syncbot.contracts.context import Context
from syncbot.contracts.kinds.patches import PatchContract, patched
from syncbot.contracts.registry import finder

_may_put = lru_cache(maxsize=64)(may_put)
_PUTTING = re.compile(r"\bsetattr\b|\.\s*\w+\s*=[^=]")


@finder(ast.For)
def find_loops(node: ast.For, context: Context) -> Iterator[PatchContract]:
    """``for name, new in {"name": new}.items(): setattr(Class, name, new)``."""
    within = next((p for p in reversed(context.parents) if isinstance(p, ast.For | FunctionNode)), None)
    # What stands in another loop is seen from there.
    if isinstance(within, ast.For) or not _puts(node):
        return
    placing = Placing({}, lambda several: written_elements(several, context))
    for put in placing.loop(node):
        yield from _patched(put, put.at, context)


def _puts(node: ast.For) -> bool:
    """Whether a loop puts something under names, or into owners, that it goes through."""
    bound = {n.id for n in every_node(node.target) if isinstance(n, ast.Name)}
    for inner in every_node(node):
        match inner:
            case ast.Call(func=ast.Name(id="setattr")):
                return True
            case ast.Assign(targets=[ast.Attribute(value=ast.Name(id=owner))]) if owner in bound:
                return True
    return False


@finder(ast.Call)
def find_calls(node: ast.Call, context: Context) -> Iterator[PatchContract]:
    """``put(Class, "name", new)``, where a function of the backend does that."""
    if not (node.args or node.keywords) or not isinstance(node.func, ast.Name | ast.Attribute):
        return
    called = context.infer(node.func)
    if called is None or called.instance or called.symbol.kind != "function":
        return
    if context.is_upstream(called.symbol.module) or not _seems_to_put(called.symbol, context.universe):
        return
    defined = definition_of(node.func, context)
    if defined is None or not _may_put(defined[0]):
        return
    function, standing = defined
    names = bound_arguments(function.args, node, int(called.bound))
    if names is not None:
        placing = _placing(names, standing, context)
        for put in placing.puts(function.body):
            yield from _patched(put, node, context)


def _seems_to_put(function: Symbol, universe: Universe) -> bool:
    """Whether the text of a function may put something somewhere: reading its statements takes longer."""
    source = universe.source(function.module)
    if source is None or len(function.functions) != 1:
        return True
    return _is_putting(source, function.functions[0].line, function.functions[0].end_line)


@remembered(4096)
def _is_putting(source: bytes, first: int, last: int) -> bool:
    return _PUTTING.search(function_text(source, first, last)) is not None


@finder(ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
def find_decorated(node: FunctionNode | ast.ClassDef, context: Context) -> Iterator[PatchContract]:
    """``@put(Class)`` above a function, or above a class whose functions go there."""
    for index, decorator in enumerate(node.decorator_list):
        below = [ast.unparse(d) for d in node.decorator_list[index + 1 :]]
        if all(map(is_harmless, below)) and not is_harmless(ast.unparse(decorator)):
            yield from _decorated(node, decorator, context)


def _decorated(
    node: FunctionNode | ast.ClassDef, decorator: ast.expr, context: Context
) -> Iterator[PatchContract]:
    defined = definition_of(decorator, context)
    if defined is None or context.is_upstream(defined[1].module) or not _may_put(defined[0]):
        return
    function, standing = defined
    itself = ast.Name(id=node.name, ctx=ast.Load())
    names = bound_arguments(function.args, ast.Call(func=decorator, args=[itself], keywords=[]))
    if names is not None and isinstance(decorator, ast.Call) and standing.around:
        given = bound_arguments(standing.around[-1].args, decorator)
        names = {**given, **names} if given is not None else None
    if names is None:
        return
    for put in _placing(names, standing, context).puts(function.body):
        told = node if put.value is itself and isinstance(node, FunctionNode) else None
        yield from _patched(put, node, context, told)


def _placing(names: dict[str, ast.expr | None], standing: Standing, context: Context) -> Placing:
    foreign = standing.module != context.file.module
    return Placing(names, lambda several: written_elements(several, context), set(names), foreign)


def _patched(
    put: Put, at: ast.stmt | ast.expr, context: Context, function: FunctionNode | None = None
) -> Iterator[PatchContract]:
    aside = context.aside(put.guards)
    # What the helper defines means nothing outside.
    value = put.value if put.function is None else ast.Constant(value=None)
    defined = function or put.function
    found = patched(put.owner, put.name, value, at, aside, defined, only_fit=put.plain)
    yield from filter(context.once, found)
