"""Attributes of objects that the backend asks for by a name in quotes: in the dictionary of an object, in one
that a function makes of its fields, or by ``attrgetter``."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from syncbot.api.expressions import dotted, string
from syncbot.api.local_literals import untouched
from syncbot.api.symbols import Member
from syncbot.contracts.conditions.caught_errors import catches_attribute_error
from syncbot.contracts.context import Context
from syncbot.contracts.inference.declared_types import each
from syncbot.contracts.inference.lambda_parameters import handed_containers
from syncbot.contracts.inference.values import Value
from syncbot.contracts.kinds.attributes import AttributeContract, attribute_contracts
from syncbot.contracts.registry import finder

_KEY_ERRORS = ("KeyError", "LookupError")
# Functions, and methods, that make a dictionary of all fields of an object.
_OF_FIELDS = {"asdict", "to_builtins"}
_METHODS_OF_FIELDS = {"_asdict", "model_dump"}


@finder(ast.Subscript)
def find_keys(node: ast.Subscript, context: Context) -> Iterator[AttributeContract]:
    """``vars(x)["name"]``, ``x.__dict__["name"]`` and ``asdict(x)["name"]``, also by a local variable."""
    name = string(node.slice)
    if name is None or not isinstance(node.ctx, ast.Load):
        return
    made = _made(node.value, context)
    owner = _object(made) if made is not None else None
    base = context.infer(owner[0]) if owner is not None else None
    if owner is None or base is None or not base.instance:
        return
    member = context.universe.member(base.symbol, name, base.skip)
    if member is None or not _is_in_dictionary(member, fields=owner[1]) or _is_asked(name, context):
        return
    caught = catches_attribute_error(context.parents, node, _KEY_ERRORS)
    yield from attribute_contracts(base, name, "read", caught, node, context)


def _made(node: ast.expr, context: Context) -> ast.expr | None:
    """An expression, or the one that a local variable stands for."""
    if not isinstance(node, ast.Name):
        return node
    values = context.scope.values.get(node.id, ())
    one = len(values) == 1 and context.function is not None and _object(values[0]) is not None
    return untouched(node.id, context.function) if one and context.function is not None else None


def _object(made: ast.expr) -> tuple[ast.expr, bool] | None:
    """The object of which an expression is the dictionary, and whether that has ``fields`` alone."""
    match made:
        case ast.Attribute(value=owner, attr="__dict__"):
            return owner, False
        case ast.Call(func=ast.Name(id="vars"), args=[owner], keywords=[]):
            return owner, False
        case ast.Call(func=function, args=[owner], keywords=[]) if _last(function) in _OF_FIELDS:
            return owner, True
        case ast.Call(func=ast.Attribute(value=owner, attr=attr), args=[], keywords=[]) if (
            attr in _METHODS_OF_FIELDS
        ):
            return owner, True
    return None


def _is_in_dictionary(member: Member, *, fields: bool) -> bool:
    """Whether objects have a member themselves: a field, or what a method sets."""
    if len(member.attributes) != len(member.nodes):
        return False
    given = any(a.origin for a in member.attributes) and not fields
    return given or any(
        a.annotation is not None and not a.origin and "ClassVar" not in a.annotation
        for a in member.attributes
    )


def _is_asked(name: str, context: Context) -> bool:
    """Whether the code runs only where a dictionary has the key."""
    return any(f"'{name}' in " in guard for guard in context.guards)


@finder(ast.Call, words=("attrgetter", "methodcaller"))
def find_getters(node: ast.Call, context: Context) -> Iterator[AttributeContract]:
    """``attrgetter("name")(x)``, ``sorted(xs, key=attrgetter("name"))``, and ``methodcaller("name")``."""
    last = _last(node.func)
    if last not in ("attrgetter", "methodcaller") or not node.args:
        return
    value = _got(node, context)
    for argument in node.args[: None if last == "attrgetter" else 1] if value is not None else ():
        base = value
        for name in (string(argument) or "").split("."):
            if base is None or not base.instance or not name:
                break
            yield from attribute_contracts(base, name, "read", False, node, context)
            base = context.inference.attribute(base, name)


def _got(node: ast.Call, context: Context) -> Value | None:
    """Return what an attribute getter is called with where it is written."""
    parent = context.parent
    if isinstance(parent, ast.Call) and parent.func is node:
        return context.infer(parent.args[0]) if len(parent.args) == 1 else None
    for several in handed_containers(node, context.parents)[:1]:
        for _, value in each(ast.Name(id="each"), several):
            return context.inference.infer(value, context.scope)
    return None


def _last(func: ast.expr) -> str:
    return (dotted(func) or "").rpartition(".")[2]
