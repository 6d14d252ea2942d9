"""Expressions with names replaced by what they stand for, and the tests of them that then have one answer."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from syncbot.api.expressions import dotted, string

_FUNCTIONS = {"callable", "isfunction", "isroutine", "ismethod"}


def folded(node: ast.expr, names: Mapping[str, ast.expr | None]) -> ast.expr:
    """The expression with its names replaced, which may change it: ``getattr(owner, 'name')`` is
    ``owner.name``, and ``function.__name__`` the text of it."""
    changed = _Folding(names).visit(node)
    return changed if isinstance(changed, ast.expr) else node


class _Folding(ast.NodeTransformer):
    def __init__(self, names: Mapping[str, ast.expr | None]) -> None:
        self.names = names

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.names.get(node.id) or node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        match node:
            case ast.Call(func=ast.Name(id="getattr"), args=[owner, ast.Constant(value=str(name)), *_]):
                return ast.copy_location(ast.Attribute(value=owner, attr=name, ctx=ast.Load()), node)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        self.generic_visit(node)
        written = dotted(node.value) if node.attr == "__name__" else None
        return ast.Constant(value=written.rpartition(".")[2]) if written else node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        self.generic_visit(node)
        if not isinstance(node.op, ast.Or):
            return node
        left = [v for v in node.values if truth(v) is not False]
        return left[0] if left and (len(left) == 1 or truth(left[0])) else node

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        self.generic_visit(node)
        told = truth(node.test)
        return node if told is None else node.body if told else node.orelse


def truth(node: ast.expr) -> bool | None:
    """Return what a test says in each run, of functions too; None where that is not seen."""
    match node:
        case ast.Constant(value=value):
            return bool(value)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            told = truth(operand)
            return None if told is None else not told
        case ast.BoolOp(op=operator, values=values):
            return _together([truth(v) for v in values], isinstance(operator, ast.Or))
        case ast.Call(func=func, args=[_], keywords=[]) if _last(func) in _FUNCTIONS:
            return True
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=str(text)), attr=attr), args=[part]):
            return _begins(text, attr, part)
        case ast.Compare(left=left, ops=[operator], comparators=[right]):
            return _compared(left, operator, right)
    return None


def _last(func: ast.expr) -> str:
    return (dotted(func) or "").rpartition(".")[2]


def _together(told: list[bool | None], decides: bool) -> bool | None:
    """The answer of several tests, of which one that is ``decides`` is enough."""
    if decides in told:
        return decides
    return None if None in told else not decides


def _begins(text: str, attr: str, part: ast.expr) -> bool | None:
    parts = [string(p) for p in part.elts] if isinstance(part, ast.Tuple) else [string(part)]
    if attr not in ("startswith", "endswith") or None in parts:
        return None
    begins = text.startswith if attr == "startswith" else text.endswith
    return any(begins(p) for p in parts if p is not None)


def _compared(left: ast.expr, operator: ast.cmpop, right: ast.expr) -> bool | None:
    if not isinstance(left, ast.Constant):
        return None
    match operator, right:
        case (ast.In() | ast.NotIn(), ast.Tuple(elts=parts) | ast.List(elts=parts) | ast.Set(elts=parts)):
            values = [p.value for p in parts if isinstance(p, ast.Constant)]
            return (
                (left.value in values) is isinstance(operator, ast.In) if len(values) == len(parts) else None
            )
        case ast.Is() | ast.Eq(), ast.Constant(value=value):
            return bool(left.value == value)
        case ast.IsNot() | ast.NotEq(), ast.Constant(value=value):
            return bool(left.value != value)
    return None
