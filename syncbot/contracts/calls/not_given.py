"""Defaults that only say that nothing was given."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from syncbot.api.every_node import every_node
from syncbot.api.expressions import FunctionNode

_SAME, _OTHER = (ast.Is, ast.Eq), (ast.IsNot, ast.NotEq)


@dataclass(frozen=True, slots=True)
class _Question:
    """An ``if`` that asks for a default: its test, what runs where it was left, and where it was not."""

    test: ast.expr
    left: list[ast.stmt]
    given: list[ast.stmt]


def stands_for(node: FunctionNode, name: str, default: str) -> str:
    """Return what a function does with a default that it only asks for: the default itself where it uses it,
    else what it sets the parameter to instead, ``""`` where it uses nothing."""
    questions = [q for n in every_node(node) if isinstance(n, ast.If) and (q := _question(n, name, default))]
    for question in questions:
        match question.left:
            case [ast.Assign(targets=[ast.Name(id=bound)], value=ast.Constant() as value)] if bound == name:
                return ast.unparse(value)
    apart = {id(n) for q in questions for part in (q.test, *q.given) for n in every_node(part)}
    uses = (n for n in every_node(node) if isinstance(n, ast.Name) and n.id == name and id(n) not in apart)
    return default if not questions or any(True for _ in uses) else ""


def _question(node: ast.If, name: str, default: str) -> _Question | None:
    match node.test:
        case ast.Compare(left=ast.Name(id=left), ops=[test], comparators=[right]) if left == name:
            if ast.unparse(right) != default or not isinstance(test, (*_SAME, *_OTHER)):
                return None
            same = isinstance(test, _SAME)
            return _Question(node.test, *((node.body, node.orelse) if same else (node.orelse, node.body)))
    return None
