"""Classes that put the members of those that derive from them into something else: in
``class Mine(Patch[Theirs])`` a method of ``Patch`` goes through what its class defines and sets all of it on
another object."""

from __future__ import annotations

import ast

from syncbot.api.every_node import every_node
from syncbot.api.expressions import FunctionNode, dotted

_LISTING = {"vars", "dir", "getmembers", "getmembers_static"}


def grafts(node: ast.ClassDef) -> bool:
    """Whether a method of the class sets what its own class has on something else, name by name."""
    return any(_sets_elsewhere(method) for method in node.body if isinstance(method, FunctionNode))


def _sets_elsewhere(method: FunctionNode) -> bool:
    arguments = [*method.args.posonlyargs, *method.args.args]
    if not arguments:
        return False
    own = arguments[0].arg
    loops = (n for n in every_node(method) if isinstance(n, ast.For) and _lists(n.iter, own))
    return any(_sets_another(inner, own) for loop in loops for inner in every_node(loop))


def _lists(node: ast.expr, own: str) -> bool:
    """Whether an expression goes through what the class of ``own`` defines."""
    for inner in every_node(node):
        match inner:
            case ast.Attribute(value=owner, attr="__dict__") if _is_own(owner, own):
                return True
            case ast.Call(func=called, args=[owner, *_]) if _is_own(owner, own):
                if (dotted(called) or "").rpartition(".")[2] in _LISTING:
                    return True
    return False


def _is_own(node: ast.expr, own: str) -> bool:
    match node:
        case ast.Name(id=name):
            return name == own
        case ast.Attribute(value=ast.Name(id=name), attr="__class__"):
            return name == own
        case ast.Call(func=ast.Name(id="type"), args=[ast.Name(id=name)]):
            return name == own
    return False


def _sets_another(node: ast.AST, own: str) -> bool:
    """Whether it is ``setattr(other, name, …)`` with a name that is computed."""
    match node:
        case ast.Call(func=ast.Name(id="setattr"), args=[owner, name, _]):
            return not _is_own(owner, own) and not isinstance(name, ast.Constant)
    return False
