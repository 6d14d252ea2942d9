"""Dictionaries that a method or property of the same class gives, or that the class holds."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from syncbot.api.expressions import FunctionNode, dotted


@dataclass(frozen=True, slots=True)
class Returned:
    """The one expression that a method returns; of what a class holds there is no function."""

    function: FunctionNode | None
    value: ast.expr


def returning(node: ast.expr | None, owner: ast.ClassDef) -> Returned | None:
    """Return the value of ``self.name``, a property or a dictionary of the class, or of ``self.name()``; None
    for anything else, and where the class binds the name twice."""
    match node:
        case ast.Attribute(value=ast.Name(id="self" | "cls"), attr=name):
            called = False
        case ast.Call(func=ast.Attribute(value=ast.Name(id="self" | "cls"), attr=name)):
            called = True
        case _:
            return None
    match [one for one in owner.body if name in _binds(one)]:
        case [ast.FunctionDef() as function] if _is_read(function) is not called:
            given = list(_returns(function))
            return Returned(function, given[0]) if len(given) == 1 else None
        case [ast.Assign(value=ast.Dict() as value) | ast.AnnAssign(value=ast.Dict() as value)] if not called:
            return Returned(None, value)
    return None


def _binds(statement: ast.stmt) -> list[str]:
    match statement:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
        case ast.Assign(targets=targets):
            return [target.id for target in targets if isinstance(target, ast.Name)]
        case ast.AnnAssign(target=ast.Name(id=name)):
            return [name]
    return []


def _is_read(function: FunctionNode) -> bool:
    names = ((dotted(decorator) or "").rpartition(".")[2] for decorator in function.decorator_list)
    return any(name.endswith("property") for name in names)


def _returns(node: ast.AST) -> Iterator[ast.expr]:
    """The values of the return statements of a function itself."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Return) and child.value is not None:
            yield child.value
        elif not isinstance(child, FunctionNode | ast.ClassDef | ast.Lambda | ast.expr):
            yield from _returns(child)
