"""Code asks something of the value of an expression: an attribute, or what an operator stands for."""

from __future__ import annotations

import ast

from syncbot.api.symbols import Symbol
from syncbot.api.universe import Universe
from syncbot.contracts.attributes.operands import operands, sign

_SUBSCRIPTS = {ast.Load: "__getitem__", ast.Store: "__setitem__", ast.Del: "__delitem__"}
_IN_WORDS = {
    **dict.fromkeys(_SUBSCRIPTS.values(), "cannot be subscripted"),
    "__call__": "cannot be called",
    "__iter__": "cannot be iterated over",
    "__len__": "has no length",
    "__index__": "is no whole number",
    "__neg__": "has no negative",
    "__await__": "cannot be awaited",
    "__contains__": "cannot be searched",
    "__enter__": "cannot be entered",
    "__aenter__": "cannot be entered",
}
# https://jcristharif.com/msgspec/api.html#msgspec.Struct: none of these, whatever its options say.
_NOT_OF_STRUCTS = {
    "__getitem__",
    "__setitem__",
    "__delitem__",
    "__iter__",
    "__len__",
    "__contains__",
    "__next__",
}
_CLOSED = {"msgspec.Struct", "object", "abc.ABC", "typing.Generic"}
_BY_FUNCTION = {"len": "__len__", "range": "__index__", "abs": "__abs__"}
# What the left operand is asked for, where few types know it.
_OPERATORS = {"__sub__", "__truediv__", "__floordiv__", "__mod__", "__pow__"}
_ITERATING = {"enumerate", "list", "tuple", "set", "sorted", "sum", "iter", "zip", "map", "any", "all"}


def asked(node: ast.expr, parent: ast.AST | None) -> str:
    """The attribute that the value of an expression has to have; empty where nothing tells."""
    match parent:
        case ast.Subscript(value=value, ctx=context) if value is node:
            return _SUBSCRIPTS[type(context)]
        case ast.Call(func=func) if func is node:
            return "__call__"
        case ast.Call(func=ast.Name(id=name), args=values) if any(value is node for value in values):
            return _BY_FUNCTION.get(name, "__iter__" if name in _ITERATING else "")
        case ast.Attribute(attr=attr, ctx=ast.Load()):
            return attr
        case ast.For(iter=several) | ast.comprehension(iter=several) if several is node:
            return "__iter__"
        case ast.Starred():
            return "__iter__"
        case ast.keyword(arg=None):
            return "keys"
        case ast.UnaryOp(op=ast.USub()):
            return "__neg__"
        case ast.BinOp():
            methods = (operand.method for operand in operands(parent) if operand.value is node)
            return next((method for method in methods if method in _OPERATORS), "")
    return ""


def lacking(name: str) -> str:
    """In words what a value cannot do without an attribute."""
    operator = sign(name)
    return _IN_WORDS.get(name) or (f"does not know the operator {operator}" if operator else f"has no {name}")


def may_have_unseen(universe: Universe, class_: Symbol, name: str) -> bool:
    """Whether objects of a class may have an attribute that cannot be seen: from a base outside the trees, or
    as an answer to a question. What Structs of msgspec have beside their fields is known."""
    if not universe.is_open(class_):
        return False
    outside = {base.partition("[")[0] for base in universe.lineage(class_).external}
    known = outside <= _CLOSED and name in _NOT_OF_STRUCTS
    return not known or universe.member(class_, "__getattr__") is not None


def surely_lacks(universe: Universe, class_: Symbol, name: str) -> bool:
    """Whether objects of a class are sure not to have an attribute; subscripts serve to iterate as well."""
    if may_have_unseen(universe, class_, name) or name in object.__dict__:
        return False
    names = (name, "__getitem__") if name == "__iter__" else (name,)
    return all(universe.member(class_, each) is None for each in names)
