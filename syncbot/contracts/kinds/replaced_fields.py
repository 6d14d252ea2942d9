"""Fields of upstream's objects that the backend gives another value in a copy: the constructor is called with
all of them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from syncbot.api.expressions import dotted
from syncbot.api.local_literals import spelled_out
from syncbot.api.signatures import Arguments
from syncbot.contracts.calls.declared_arguments import passed_types
from syncbot.contracts.calls.targets import CallContract
from syncbot.contracts.context import Context
from syncbot.contracts.inference.expressions import COPIES
from syncbot.contracts.registry import finder


@finder(ast.Call, words=("replace", "_replace", "evolve"))
def find_replaced(node: ast.Call, context: Context) -> Iterator[CallContract]:
    """``replace(x, field=value)``, and ``x._replace(field=value)`` of a named tuple."""
    match node:
        case ast.Call(func=ast.Attribute(value=copied, attr="_replace"), args=[]):
            pass
        case ast.Call(func=func, args=[copied]):
            written = dotted(func)
            if written is None or written.rpartition(".")[2] not in ("replace", "evolve"):
                return
            if context.universe.external_name(context.file.module, written) not in COPIES:
                return
        case _:
            return
    value = context.infer(copied)
    if value is None or not value.instance or not context.is_upstream(value.symbol.module):
        return
    call = spelled_out(node, context.function)
    keywords = tuple(k.arg for k in call.keywords if k.arg)
    yield CallContract(
        symbol=value.symbol.name,
        # What is not named is taken from the object.
        arguments=Arguments(0, keywords, True, True),
        used=False,
        types=tuple(t for t in passed_types(call, context) if t[0] in keywords),
        place=context.place(node),
    )
