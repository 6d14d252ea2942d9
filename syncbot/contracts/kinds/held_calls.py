"""Calls of upstream functions and classes that a table of the backend holds, or a parameter by default."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from syncbot.api.every_node import every_node
from syncbot.api.expressions import FunctionNode
from syncbot.api.local_literals import spelled_out
from syncbot.api.signatures import Arguments
from syncbot.contracts.calls.given_names import always_given
from syncbot.contracts.calls.targets import CallContract, defining
from syncbot.contracts.context import Context
from syncbot.contracts.inference.held_tables import NOTHING_HELD, Lookup
from syncbot.contracts.inference.values import Scope, Value
from syncbot.contracts.kinds.attributes import AttributeContract, attribute_contracts
from syncbot.contracts.registry import finder


@finder(ast.Call)
def find_held(node: ast.Call, context: Context) -> Iterator[CallContract]:
    """The calls of each that may be called; one that is called for certain is a call as any other."""
    if not isinstance(node.func, ast.Name | ast.Subscript | ast.Call) or context.infer(node.func) is not None:
        return
    held = _looked_up(node.func, context)
    arguments = None
    for value in dict.fromkeys(held.values):
        if value is None or value.instance or value.symbol.kind not in ("function", "class"):
            continue
        contract = CallContract(
            symbol=value.symbol.name,
            arguments=Arguments(0, ()),
            bound=value.bound,
            used=False,
            perhaps=not held.each or _chooses(context),
            place=context.place(node),
        )
        target = defining(contract, context.universe)
        if target is not None and context.is_upstream(target):
            arguments = arguments or Arguments.of(spelled_out(node, context.function))
            yield replace(contract, arguments=arguments)


@finder(ast.Attribute)
def find_of_made(node: ast.Attribute, context: Context) -> Iterator[AttributeContract]:
    """Attributes of objects that are made by one of several classes of a table."""
    if not isinstance(node.ctx, ast.Load) or not isinstance(node.value, ast.Name | ast.Call):
        return
    made = always_given(node.value, context)
    if not isinstance(made, ast.Call) or context.infer(node.value) is not None:
        return
    values = _looked_up(made.func, context).values
    classes = [v.symbol for v in values if v is not None and not v.instance and v.symbol.kind == "class"]
    if len(classes) != len(values) or not classes:
        return
    for class_ in dict.fromkeys(classes):
        others = tuple(other.name for other in dict.fromkeys(classes) if other != class_)
        made_by = Value(class_, instance=True)
        for contract in attribute_contracts(made_by, node.attr, "read", False, node, context):
            yield replace(contract, others=others)


def _chooses(context: Context) -> bool:
    """Whether the loop around may do otherwise with some elements."""
    if any(guard.startswith(("if ", "else ")) for guard in context.guards):
        return True
    loops = [p for p in context.parents if isinstance(p, ast.For | ast.AsyncFor)]
    leaving = (ast.Break, ast.Continue)
    return any(isinstance(n, leaving) for n in every_node(loops[-1])) if loops else False


def _looked_up(func: ast.expr, context: Context) -> Lookup:
    """Return what an expression that is called may be."""
    written = always_given(func, context)
    if isinstance(written, ast.Name):
        default = _default(written.id, context)
        return Lookup((default,)) if default is not None else NOTHING_HELD
    return context.inference.held_in_table(written, context.scope)


def _default(name: str, context: Context) -> Value | None:
    """The function or class that a parameter is where nobody passes another one."""
    function, scope = context.function, context.scope
    if function is None or name in scope.values or name in scope.annotations or name not in scope.opaque:
        return None
    default = _written_default(function, name)
    around = scope.parent or Scope(context.file.module)
    value = context.inference.infer(default, around) if default is not None else None
    return value if value is not None and not value.instance else None


def _written_default(function: FunctionNode, name: str) -> ast.expr | None:
    """The default of a parameter that is a name."""
    arguments = function.args
    places = [*arguments.posonlyargs, *arguments.args]
    defaults = [*zip(reversed(places), reversed(arguments.defaults), strict=False)]
    for parameter, default in (*defaults, *zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)):
        if parameter.arg == name:
            return default if isinstance(default, ast.Name | ast.Attribute) else None
    return None
