"""Dictionaries and tuples that a function writes out, names, and passes on by that name with stars."""

from __future__ import annotations

import ast

from syncbot.api.expressions import FunctionNode
from syncbot.api.handed_on import items

# Methods that leave all keys of a dictionary in place; those that may add some.
_READING = {"get", "keys", "values", "items", "copy"}
_ADDING = {"update", "setdefault"}


def local_literal(node: ast.expr | None, function: FunctionNode | None) -> ast.expr | None:
    """An expression, or the literal that the local variable is which it names: of one to which something may
    be added, ``{**literal, **variable}``. One that anything else may happen to stays as it is."""
    if not isinstance(node, ast.Name) or function is None:
        return node
    given: list[ast.expr] = []
    grows = False
    parents = {child: parent for parent in ast.walk(function) for child in ast.iter_child_nodes(parent)}
    for inner, parent in parents.items():
        if isinstance(inner, ast.arg) and inner.arg == node.id:
            return node
        if not isinstance(inner, ast.Name) or inner.id != node.id:
            continue
        match parent:
            case ast.Assign(targets=[ast.Name()], value=value) if value is not inner:
                given.append(value)
            case ast.AnnAssign(value=ast.expr() as value) if value is not inner:
                given.append(value)
            case ast.keyword() | ast.Starred() | ast.Compare():
                pass
            case ast.Subscript(ctx=ast.Store()):
                grows = True
            case ast.Subscript(ctx=ast.Load()):
                pass
            case ast.Attribute(attr=attr) if attr in _READING | _ADDING:
                grows = grows or attr in _ADDING
            case _:
                return node
    if len(given) != 1 or not isinstance(given[0], ast.Dict | ast.Tuple | ast.List | ast.Call):
        return node
    return _growing(given[0], node) if grows else given[0]


def spelled_out(call: ast.Call, function: FunctionNode | None) -> ast.Call:
    """A call with ``**`` and a dictionary that is written out as one with keywords."""
    if not any(keyword.arg is None for keyword in call.keywords):
        return call
    keywords: list[ast.keyword] = []
    for keyword in call.keywords:
        if keyword.arg is None:
            known = local_literal(keyword.value, function)
            found = items(known) if known is not None else ()
            keywords += [ast.keyword(arg=name, value=value) for name, value in found]
        else:
            keywords.append(keyword)
    return ast.copy_location(ast.Call(func=call.func, args=call.args, keywords=keywords), call)


def _growing(literal: ast.expr, variable: ast.Name) -> ast.expr:
    known = list(items(literal))
    if any(key is None for key, _ in known):
        return variable
    keys: list[ast.expr | None] = [ast.Constant(value=key) for key, _ in known]
    return ast.Dict(keys=[*keys, None], values=[*(value for _, value in known), variable])
