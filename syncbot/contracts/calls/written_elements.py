"""The elements that a loop goes through, where the backend writes them out: of tables, and of its classes."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from syncbot.api.every_node import every_node
from syncbot.api.local_literals import local_literal
from syncbot.api.syntax import parsed
from syncbot.contracts.context import Context

_SAME = {"list", "tuple", "sorted", "set", "iter", "reversed"}


def written_elements(node: ast.expr, context: Context) -> Sequence[ast.expr] | None:
    """Return what an expression goes through here, element by element; None where that is not seen."""
    match node:
        case ast.Call(func=ast.Name(id=same), args=[inner], keywords=[]) if same in _SAME:
            return written_elements(inner, context)
        case ast.Call(func=ast.Attribute(value=table, attr="items"), args=[]):
            return _pairs(table, context)
        case ast.Call(func=ast.Attribute(attr="getmembers"), args=[table, *_]):
            return _pairs(ast.Call(func=ast.Name(id="vars"), args=[table], keywords=[]), context)
        case ast.Call(func=ast.Attribute(value=table, attr="keys" | "values" as part), args=[]):
            pairs = _pairs(table, context)
            return [p.elts[part == "values"] for p in pairs] if pairs is not None else None
    match _literal(node, context):
        case ast.Tuple(elts=elements) | ast.List(elts=elements) | ast.Set(elts=elements):
            return None if any(isinstance(e, ast.Starred) for e in elements) else elements
        case ast.Dict(keys=keys):
            known = [key for key in keys if key is not None]
            return known if len(known) == len(keys) else None
    members = _members(node, context)
    return [p.elts[0] for p in members] if members is not None else None


def _pairs(table: ast.expr, context: Context) -> Sequence[ast.Tuple] | None:
    """The keys of a dictionary, each with its value."""
    match _literal(table, context):
        case ast.Dict(keys=keys, values=values) if None not in keys:
            return [_pair(k, v) for k, v in zip(keys, values, strict=True) if k is not None]
    return _members(table, context)


def _pair(key: ast.expr, value: ast.expr) -> ast.Tuple:
    return ast.Tuple(elts=[key, value], ctx=ast.Load())


def _literal(node: ast.expr, context: Context) -> ast.expr:
    """Return what a name stands for that is given a value once, in the function around or by its module."""
    if not isinstance(node, ast.Name):
        return node
    known = local_literal(node, context.function)
    if known is not None and known is not node:
        return known
    tree = parsed(context.file.text)
    given = list(_given(tree.body, node.id)) if tree is not None else []
    return given[0] if len(given) == 1 and isinstance(given[0], ast.expr) else node


def _given(body: Sequence[ast.stmt], name: str) -> Iterator[ast.AST]:
    """The values of a name in the statements of a module; anything else that is done with it counts too."""
    for statement in body:
        match statement:
            case (
                ast.Assign(targets=[ast.Name(id=target)], value=value)
                | ast.AnnAssign(target=ast.Name(id=target), value=ast.expr() as value)
            ) if target == name:
                yield value
            case _:
                yield from (n for n in every_node(statement) if _changes(n, name))


def _changes(node: ast.AST, name: str) -> bool:
    match node:
        case ast.Name(id=stored, ctx=ast.Store() | ast.Del()):
            return stored == name
        case ast.Subscript(value=ast.Name(id=changed), ctx=ast.Store() | ast.Del()):
            return changed == name
        case ast.Attribute(value=ast.Name(id=changed), attr="pop" | "remove" | "clear" | "update"):
            return changed == name
    return False


def _members(node: ast.expr, context: Context) -> Sequence[ast.Tuple] | None:
    """The functions of a class of the backend, each as a pair of its name and itself: ``vars(Class)``."""
    match node:
        case ast.Call(func=ast.Name(id="vars" | "dir"), args=[owner], keywords=[]):
            pass
        case ast.Attribute(value=owner, attr="__dict__"):
            pass
        case _:
            return None
    value = context.inference.infer(owner, context.scope)
    symbol = value.symbol if value is not None and not value.instance else None
    if symbol is None or symbol.kind != "class" or context.is_upstream(symbol.module):
        return None
    body = context.universe.body(symbol)
    names = dict.fromkeys(f.name for f in body.functions) if body is not None else {}
    return [_pair(ast.Constant(value=n), ast.Attribute(value=owner, attr=n, ctx=ast.Load())) for n in names]
