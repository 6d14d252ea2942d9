"""Calls that the backend makes otherwise where they do not fit: one of the same in a handler of TypeError."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

from syncbot.api.every_node import every_node
from syncbot.api.expressions import FunctionNode, dotted
from syncbot.api.signatures import Arguments, Signature, bind

_WIDE = {"Exception", "BaseException"}


def other_attempts(node: ast.Call, parents: Sequence[ast.AST]) -> Iterator[Arguments]:
    """What the same callee is given where a call in a ``try`` does not fit; for the call in such a handler,
    what is tried before it."""
    name = dotted(node.func)
    inner: ast.AST = node
    for parent in reversed(parents) if name is not None else ():
        if isinstance(parent, FunctionNode | ast.Lambda | ast.ClassDef):
            return
        if isinstance(parent, ast.Try):
            if any(inner is statement for statement in parent.body):
                fallback = next((h for h in parent.handlers if _names(h) & {"TypeError", *_WIDE}), None)
                yield from _given(name, fallback.body if fallback is not None else ())
            elif any(inner is s for h in parent.handlers if _names(h) == {"TypeError"} for s in h.body):
                yield from _given(name, parent.body)
        inner = parent


def _names(handler: ast.ExceptHandler) -> set[str]:
    types = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return {dotted(type_) or "" if type_ is not None else "BaseException" for type_ in types}


def _given(name: str | None, body: Iterable[ast.stmt]) -> Iterator[Arguments]:
    calls = (n for statement in body for n in every_node(statement) if isinstance(n, ast.Call))
    yield from (Arguments.of(call) for call in calls if dotted(call.func) == name)


def one_fits(attempts: Iterable[Arguments], signatures: Sequence[Signature]) -> bool:
    """Whether one of some calls binds."""
    return any(not bind(signature, attempt) for attempt in attempts for signature in signatures)
