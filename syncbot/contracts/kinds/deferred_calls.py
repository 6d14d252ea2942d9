"""Calls that a thread, a process, an executor or an event loop makes later."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from syncbot.api.handed_on import as_call, handed_on, items
from syncbot.api.signatures import Arguments
from syncbot.contracts.calls.callees import callee
from syncbot.contracts.calls.declared_arguments import written_type
from syncbot.contracts.calls.targets import CallContract, defining
from syncbot.contracts.context import Context
from syncbot.contracts.registry import finder

# What changes a dictionary that a variable holds.
_CHANGING = {"update", "pop", "popitem", "setdefault", "clear", "__setitem__"}


@finder(ast.Call)
def find_deferred(node: ast.Call, context: Context) -> Iterator[CallContract]:
    """The upstream functions that are handed on with their arguments, to be called later."""
    handed = handed_on(node)
    if handed is None or handed.shape.more or not isinstance(handed.func, ast.Name | ast.Attribute):
        return
    named = callee(handed.func, context.place(node), context)
    if named is None:
        return
    several, by_name = (_literal(part, context) for part in (handed.several, handed.by_name))
    call = as_call(replace(handed, several=several, by_name=by_name))
    types = _types(several, by_name, context)
    contract = replace(named, arguments=Arguments.of(call), used=False, types=types)
    target = defining(contract, context.universe)
    if target is not None and context.is_upstream(target):
        yield contract


def _types(
    several: ast.expr | None, by_name: ast.expr | None, context: Context
) -> tuple[tuple[str, str], ...]:
    """The types of what a tuple and a dictionary hold that are written here, by place or name."""
    elements = several.elts if isinstance(several, ast.Tuple | ast.List) else []
    starred = any(isinstance(e, ast.Starred) for e in elements)
    places = [] if starred else [(str(at), element) for at, element in enumerate(elements)]
    named = [(key, value) for key, value in items(by_name) if key is not None] if by_name is not None else []
    typed = ((key, written_type(value, context)) for key, value in (*places, *named))
    return tuple((key, type_) for key, type_ in typed if type_)


def _literal(node: ast.expr | None, context: Context) -> ast.expr | None:
    """An expression, or the one value of the local variable that it is, if nothing changes that one."""
    if not isinstance(node, ast.Name) or context.function is None:
        return node
    values: list[ast.expr] = []
    for inner in ast.walk(context.function):
        match inner:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if name == node.id:
                values.append(value)
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()) if name == node.id:
                values.append(node)
            case ast.arg(arg=name) if name == node.id:
                return node
            case ast.Subscript(value=ast.Name(id=name), ctx=ast.Store() | ast.Del()) if name == node.id:
                return node
            case ast.Attribute(value=ast.Name(id=name), attr=attr) if name == node.id and attr in _CHANGING:
                return node
    others = [value for value in values if value is not node]
    # The name that an assignment binds is met as well as the assignment.
    return others[0] if len(others) == 1 and len(values) == 2 else node
