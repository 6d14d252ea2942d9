"""Calls of the ``__init__`` that a decorator makes of fields: ``Base.__init__(self, field=1)``, or by
``super()``."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from syncbot.api.local_literals import spelled_out
from syncbot.api.signatures import Arguments, maker
from syncbot.api.symbols import Symbol
from syncbot.contracts.calls.targets import CallContract
from syncbot.contracts.context import Context
from syncbot.contracts.registry import finder


@finder(ast.Call, words=("__init__",))
def find_generated(node: ast.Call, context: Context) -> Iterator[CallContract]:
    """The calls whose fields stand upstream."""
    match node.func:
        case ast.Attribute(value=base, attr="__init__"):
            class_, given = _class_of(base, context), node.args
        case _:
            return
    made = maker(context.universe, class_) if class_ is not None else None
    if class_ is None or made is None or not made.fields:
        return
    if not any(context.is_upstream(owner.module) for owner in made.classes):
        return
    if not _is_super(base):
        if not given or isinstance(given[0], ast.Starred):
            return
        given = given[1:]
    call = spelled_out(ast.Call(func=node.func, args=given, keywords=node.keywords), context.function)
    yield CallContract(
        symbol=class_.name, arguments=Arguments.of(call), used=False, place=context.place(node)
    )


def _is_super(base: ast.expr) -> bool:
    return isinstance(base, ast.Call) and isinstance(base.func, ast.Name) and base.func.id == "super"


def _class_of(base: ast.expr, context: Context) -> Symbol | None:
    """The class whose constructor an expression gives; None where another class may come before it."""
    value = context.infer(base)
    if value is None or value.symbol.kind != "class":
        return None
    if not value.instance:
        return value.symbol if context.universe.member(value.symbol, "__init__") is None else None
    if value.skip != 1 or context.universe.member(value.symbol, "__init__", value.skip) is not None:
        return None
    after = context.universe.lineage(value.symbol).classes[1:]
    alone = bool(after) and len(context.universe.lineage(after[0]).classes) == len(after)
    return after[0] if alone else None
