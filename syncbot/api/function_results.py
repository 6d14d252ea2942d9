"""What the body of a function itself says of its result."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from syncbot.api.expressions import dotted


class BodyFacts:
    """What the statements of one function body say of its result."""

    def __init__(self) -> None:
        self.returned: set[str] = set()
        self.generator = False


def returned_shape(value: ast.expr | None) -> str:
    """The shape of one return statement's value, as :class:`Function` documents it."""
    if value is None or (isinstance(value, ast.Constant) and value.value is None):
        return "none"
    if isinstance(value, ast.Tuple):
        return "tuple" if any(isinstance(e, ast.Starred) for e in value.elts) else f"tuple[{len(value.elts)}]"
    if isinstance(value, ast.List | ast.ListComp):
        return "list"
    if isinstance(value, ast.Call):
        return f"call {dotted(value.func) or '?'}"
    return "value"


def body_facts(body: Sequence[ast.stmt]) -> BodyFacts:
    """The shapes that a function's own return statements have, and whether it yields."""
    facts = BodyFacts()
    stack: list[ast.AST] = list(body)
    while stack:
        node = stack.pop()
        kind = type(node)
        if kind is ast.Return:
            facts.returned.add(returned_shape(node.value))  # type: ignore[attr-defined]
        elif kind is ast.Yield or kind is ast.YieldFrom:
            facts.generator = True
        for field in _LEADING.get(kind, ()):
            value = getattr(node, field)
            if type(value) is list:
                stack.extend(value)
            elif type(value) in _LEADING:
                stack.append(value)
    return facts


def _leading() -> dict[type[ast.AST], tuple[str, ...]]:
    """The fields of a node that lead to inner statements or a ``yield``, not into nested definitions."""
    values = (ast.Expr, ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Return, ast.Await, ast.NamedExpr)
    found: dict[type[ast.AST], tuple[str, ...]] = dict.fromkeys(values, ("value",))
    found.update({ast.ExceptHandler: ("body",), ast.match_case: ("body",), ast.Yield: (), ast.YieldFrom: ()})
    bodies = ("body", "orelse", "finalbody", "handlers", "cases")
    loops, blocks = (ast.For, ast.AsyncFor, ast.While), (ast.With, ast.AsyncWith, ast.Try, ast.TryStar)
    for node in (ast.If, ast.Match, *loops, *blocks):
        found[node] = tuple(name for name in bodies if name in node._fields)
    return found


_LEADING = _leading()


def only_raises(body: Sequence[ast.stmt]) -> bool:
    """Whether a body does nothing but raise NotImplementedError."""
    match body:
        case [ast.Raise(exc=ast.Name(id=name) | ast.Call(func=ast.Name(id=name)))]:
            return name == "NotImplementedError"
    return False
