"""Calls that the backend makes otherwise where they do not fit: one of the same in a handler of TypeError, or
in the other arm of a test that the caller decides."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

from syncbot.api.every_node import every_node
from syncbot.api.expressions import FunctionNode, dotted
from syncbot.api.signatures import Arguments, Signature, bind

_WIDE = {"Exception", "BaseException"}


def other_attempts(node: ast.Call, parents: Sequence[ast.AST]) -> Iterator[Arguments]:
    """Yield what the same callee is given where a call in a ``try`` does not fit; for the call in such a
    handler, what is tried before it."""
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


def other_arms(node: ast.Call, parents: Sequence[ast.AST]) -> Iterator[Arguments]:
    """Yield what the same callee is given in the other arm of an ``if`` around a call that tests only whether
    a parameter was given: who calls the function decides which of the two runs."""
    function = next((p for p in reversed(parents) if isinstance(p, FunctionNode | ast.Lambda)), None)
    if not isinstance(function, FunctionNode):
        return
    taken = function.args
    parameters = {p.arg for p in (*taken.posonlyargs, *taken.args, *taken.kwonlyargs)}
    name = ast.unparse(node.func)
    inner: ast.AST = node
    for parent in reversed(parents):
        if parent is function:
            return
        if isinstance(parent, ast.If) and _tested(parent.test) in parameters:
            inside = any(inner is statement for statement in parent.body)
            for statement in parent.orelse if inside else parent.body:
                calls = (n for n in every_node(statement) if isinstance(n, ast.Call))
                yield from (Arguments.of(call) for call in calls if ast.unparse(call.func) == name)
        inner = parent


def _tested(test: ast.expr) -> str | None:
    """The name of which a test asks whether it is there."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return _tested(operand)
        case ast.Compare(
            left=ast.Name(id=name), ops=[ast.Is() | ast.IsNot()], comparators=[ast.Constant(value=None)]
        ):
            return name
        case ast.Name(id=name):
            return name
    return None


def _names(handler: ast.ExceptHandler) -> set[str]:
    types = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return {dotted(type_) or "" if type_ is not None else "BaseException" for type_ in types}


def _given(name: str | None, body: Iterable[ast.stmt]) -> Iterator[Arguments]:
    calls = (n for statement in body for n in every_node(statement) if isinstance(n, ast.Call))
    yield from (Arguments.of(call) for call in calls if dotted(call.func) == name)


def one_fits(attempts: Iterable[Arguments], signatures: Sequence[Signature]) -> bool:
    """Whether one of some calls binds."""
    return any(not bind(signature, attempt) for attempt in attempts for signature in signatures)
