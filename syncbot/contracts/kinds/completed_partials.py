"""Calls of partial functions, which complete what is filled: ``h = partial(f, 1)`` and then ``h(size=2)``."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from syncbot.api.expressions import dotted, expression
from syncbot.api.local_literals import spelled_out
from syncbot.api.model import Attribute, Function
from syncbot.api.signatures import Arguments
from syncbot.contracts.calls.functions_in_attributes import is_set_elsewhere
from syncbot.contracts.calls.given_names import always_given
from syncbot.contracts.calls.targets import CallContract, defining
from syncbot.contracts.context import Context
from syncbot.contracts.inference.values import Scope, Value
from syncbot.contracts.kinds.attributes import AttributeContract, attribute_contracts
from syncbot.contracts.registry import finder


@dataclass(frozen=True, slots=True)
class _Partial:
    """A function or class, and what some of its parameters are filled with."""

    value: Value
    filled: ast.Call


@finder(ast.Call, words=("partial",))
def find_completed(node: ast.Call, context: Context) -> Iterator[CallContract]:
    """The calls of upstream functions and classes that are so completed; what is filled is told there."""
    partial = _partial(node.func, context)
    if partial is None:
        return
    value, filled = partial.value, Arguments.of(partial.filled)
    named = CallContract(
        symbol=value.symbol.name, arguments=filled, bound=value.bound, used=False, place=context.place(node)
    )
    target = defining(named, context.universe)
    if target is not None and context.is_upstream(target):
        given = Arguments.of(spelled_out(node, context.function))
        perhaps = (*given.perhaps, *(k for k in filled.keywords if k not in given.keywords))
        whole = replace(
            given,
            positional=given.positional + filled.positional - 1,
            starred=given.starred or filled.starred,
            double_starred=given.double_starred or filled.double_starred,
            perhaps=perhaps,
        )
        yield replace(named, arguments=whole)


@finder(ast.Attribute, words=("partial",))
def find_of_made(node: ast.Attribute, context: Context) -> Iterator[AttributeContract]:
    """Attributes of what such a call gives."""
    if not isinstance(node.ctx, ast.Load):
        return
    call = always_given(node.value, context)
    partial = _partial(call.func, context) if isinstance(call, ast.Call) else None
    made = context.inference.result(partial.value) if partial is not None else None
    if made is not None and made.instance:
        yield from attribute_contracts(made, node.attr, "read", False, node, context)


def _partial(func: ast.expr, context: Context) -> _Partial | None:
    """The partial function that is called; None where it may be another one."""
    if not isinstance(func, ast.Name | ast.Attribute | ast.Call):
        return None
    if context.infer(func) is not None:
        return None
    scope, made = context.scope, always_given(func, context)
    if isinstance(made, ast.Name | ast.Attribute):
        written = _written(made, context)
        if written is None:
            return None
        made, scope = written
    if not isinstance(made, ast.Call) or (dotted(made.func) or "").rpartition(".")[2] != "partial":
        return None
    if not made.args or not isinstance(made.args[0], ast.Name | ast.Attribute):
        return None
    value = context.inference.infer(made.args[0], scope)
    known = value is not None and not value.instance and value.symbol.kind in ("function", "class")
    return _Partial(value, made) if known and value is not None else None


def _written(node: ast.Name | ast.Attribute, context: Context) -> tuple[ast.expr, Scope] | None:
    """The one expression that a variable of the module, or an attribute of an own object, is given."""
    found = _of_module(node.id, context) if isinstance(node, ast.Name) else _of_object(node, context)
    if found is None or not context.universe.is_followed(found[1].module):
        return None
    made = expression(found[0].value or "")
    return (made, found[1]) if made is not None else None


def _of_module(name: str, context: Context) -> tuple[Attribute, Scope] | None:
    """The one statement that gives a value to a variable of the module."""
    found = None if context.scope.binds(name) else context.universe.local(context.file.module, name)
    match found.nodes if found is not None else ():
        case (Attribute() as given,) if found is not None:
            source = context.universe.source(found.module) or b""
            again = re.search(rb"\bglobal\b[^\n]*\b%s\b" % re.escape(given.name).encode(), source)
            return (given, Scope(found.module)) if again is None else None
    return None


def _of_object(node: ast.Attribute, context: Context) -> tuple[Attribute, Scope] | None:
    """The one statement that gives a value to an attribute."""
    universe, base = context.universe, context.infer(node.value)
    member = universe.member(base.symbol, node.attr, base.skip) if base and base.instance else None
    match member.nodes if member is not None else ():
        case (Attribute() as given,) if member is not None and not is_set_elsewhere(member, context):
            owner = member.owner
            methods = universe.defined(owner, given.origin) if given.origin else ()
            method = next((m for m in methods if isinstance(m, Function)), None)
            here = Scope(owner.module)
            return given, context.inference.method_scope(owner.module, owner, method) if method else here
    return None
