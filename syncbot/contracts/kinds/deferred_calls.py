"""Calls that a thread, a process, an executor or an event loop makes later."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from syncbot.api.handed_on import as_call, handed_on, items
from syncbot.api.local_literals import local_literal
from syncbot.api.signatures import Arguments
from syncbot.contracts.calls.callees import callee
from syncbot.contracts.calls.declared_arguments import written_type
from syncbot.contracts.calls.targets import CallContract, defining
from syncbot.contracts.context import Context
from syncbot.contracts.registry import finder


@finder(ast.Call)
def find_deferred(node: ast.Call, context: Context) -> Iterator[CallContract]:
    """The upstream functions that are handed on with their arguments, to be called later."""
    handed = handed_on(node)
    if handed is None or handed.shape.more or not isinstance(handed.func, ast.Name | ast.Attribute):
        return
    named = callee(handed.func, context.place(node), context)
    if named is None:
        return
    several, by_name = (local_literal(part, context.function) for part in (handed.several, handed.by_name))
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
