"""Attributes of the backend's own objects that hold an upstream function or class, to call it."""

from __future__ import annotations

import ast
import re

from syncbot.api.every_node import every_node
from syncbot.api.expressions import dotted
from syncbot.api.model import Attribute, Function
from syncbot.api.symbols import Member
from syncbot.contracts.calls.held_callables import variable
from syncbot.contracts.context import Context
from syncbot.contracts.function_sources import function_node
from syncbot.contracts.inference.containers import given_value
from syncbot.contracts.inference.values import Scope, Value


def held_function(base: Value, member: Member, context: Context) -> Value | None:
    """The one function that a member of an object, or of a class, holds wherever the backend's class and its
    module give it a value; ``bound`` as far as it is filled when it is called by the object."""
    if context.is_upstream(member.owner.module) or is_set_elsewhere(member, context):
        return None
    told: dict[tuple[str, bool], Value] = {}
    for attribute in member.attributes:
        if attribute.value is None or attribute.value == "None":
            continue
        held = _held(base, member, attribute, context)
        if held is None or held.instance or held.symbol.kind != "function":
            return None
        told[held.symbol.name, held.bound] = held
    return next(iter(told.values())) if len(told) == 1 else None


def _held(base: Value, member: Member, attribute: Attribute, context: Context) -> Value | None:
    """The function that one statement puts into an attribute."""
    written = given_value(attribute)
    match written:
        case ast.Call(func=ast.Name(id="staticmethod"), args=[function], keywords=[]):
            of_class, written = False, function
        case _:
            of_class = not attribute.origin and base.instance
    scope = _scope(member, attribute, dotted(written) if written is not None else None, context)
    value = context.inference.infer(written, scope) if written is not None and scope is not None else None
    # What stands in the body of a class is a method of its objects: the object comes first.
    if value is None or not of_class:
        return value
    plain = not any(function.decorators for function in value.symbol.functions)
    return Value(value.symbol, value.instance, bound=True) if plain else None


def _scope(member: Member, attribute: Attribute, name: str | None, context: Context) -> Scope | None:
    """The names where an attribute is given its value; None where a method may mean another thing."""
    owner = member.owner
    if name is None or not attribute.origin:
        return Scope(owner.module) if name is not None else None
    methods = context.universe.defined(owner, attribute.origin)
    method = next((m for m in methods if isinstance(m, Function)), None)
    node = function_node(context.universe, owner.module, method, owner.qualname) if method else None
    if method is None or node is None:
        return None
    if any(_binds(inner, variable(name)) for inner in every_node(node)):
        return None
    return context.inference.method_scope(owner.module, owner, method)


def _binds(node: ast.AST, name: str) -> bool:
    """Whether a statement, a definition or an import in a function gives a name another meaning."""
    match node:
        case ast.Name(id=bound, ctx=ast.Store()) | ast.FunctionDef(name=bound) | ast.ClassDef(name=bound):
            return bound == name
        case ast.alias():
            return (node.asname or node.name) == name
    return False


def is_set_elsewhere(member: Member, context: Context) -> bool:
    """Whether the module of a class gives the attribute more values than the class itself is seen to do."""
    source = context.universe.source(member.owner.module) or b""
    word = re.escape(member.name.encode())
    given = re.findall(rb"\." + word + rb"\s*(?::[^=\n]*)?=(?!=)|setattr\([^)\n]*['\"]" + word, source)
    return len(given) > sum(bool(a.origin) for a in member.attributes)
