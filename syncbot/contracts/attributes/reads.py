"""Who reads an attribute in a text: a method of its own object, or a function of a parameter."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from syncbot.api.every_node import children
from syncbot.api.expressions import dotted, named_arguments, string
from syncbot.api.remembered_answers import remembered
from syncbot.api.statements_with_word import Spelling
from syncbot.api.syntax import parse
from syncbot.contracts.unreached.false_flags import asked_true

_NO_ANNOTATIONS: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Read:
    """A place that reads an attribute: of ``self`` in a method, or of a parameter with an annotation; it
    ``needs`` these attributes of ``self`` to be true."""

    scope: str
    of_self: bool
    annotation: str | None
    needs: tuple[str, ...] = ()


def is_read(source: bytes, name: str, scope: str) -> bool:
    """Whether a method reads an attribute of its object."""
    return any(read.of_self and read.scope == scope for read in reads_in(source, name))


@remembered(2048)
def reads_in(source: bytes, name: str) -> tuple[Read, ...]:
    """The reads of an attribute of that name in one text."""
    return tuple(_reads(parse(source), name, Spelling(source, name)))


def _reads(
    node: ast.AST,
    name: str,
    spelling: Spelling,
    scope: str = "",
    annotations: Mapping[str, str] = _NO_ANNOTATIONS,
    needs: tuple[str, ...] = (),
) -> Iterator[Read]:
    """The reads of an attribute of that name below a node."""
    tested = _where_it_is_there(node, name)
    for child, more in _with_conditions(node):
        if spelling.lacks(child) or child in tested:
            continue
        if isinstance(child, ast.Attribute) and child.attr == name and isinstance(child.ctx, ast.Load):
            receiver = dotted(child.value) or ""
            of_self = receiver == "self" and scope.count(".") == 1
            yield Read(scope, of_self, annotations.get(receiver), (*needs, *more))
        inner, known = scope, annotations
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            inner = f"{scope}.{child.name}" if scope else child.name
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
            arguments = named_arguments(child.args)
            known = {a.arg: ast.unparse(a.annotation) for a in arguments if a.annotation is not None}
        yield from _reads(child, name, spelling, inner, known, (*needs, *more))


def _where_it_is_there(node: ast.AST, name: str) -> Sequence[ast.AST]:
    """Return what of a node runs only where ``hasattr`` has found an attribute of that name."""
    match node:
        case ast.If(test=test, body=body) if _asks_for(test, name):
            return body
        case ast.IfExp(test=test, body=value) if _asks_for(test, name):
            return [value]
        case ast.BoolOp(op=ast.And(), values=[test, *values]) if _asks_for(test, name):
            return values
    return ()


def _asks_for(test: ast.expr, name: str) -> bool:
    match test:
        case ast.Call(func=ast.Name(id="hasattr"), args=[_, asked]):
            return string(asked) == name
        case ast.BoolOp(op=ast.And(), values=values):
            return any(_asks_for(value, name) for value in values)
    return False


def _with_conditions(node: ast.AST) -> Iterator[tuple[ast.AST, tuple[str, ...]]]:
    """Yield what stands in a node, each with the attributes of ``self`` that are true where it runs."""
    match node:
        case ast.If(test=test, body=body) | ast.While(test=test, body=body):
            told = tuple(asked_true(test))
            yield from ((part, told if part in body else ()) for part in children(node))
        case ast.IfExp(test=test, body=body, orelse=orelse):
            yield from ((test, ()), (body, tuple(asked_true(test))), (orelse, ()))
        case ast.BoolOp(op=ast.And(), values=values):
            for place, value in enumerate(values):
                yield value, tuple(name for before in values[:place] for name in asked_true(before))
        case _:
            yield from ((part, ()) for part in children(node))
