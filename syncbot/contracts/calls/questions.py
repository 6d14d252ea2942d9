"""Tests that a function makes of its names before it uses them: of what type they are, or whether they have
an attribute."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from syncbot.api.every_node import every_node
from syncbot.api.expressions import FunctionNode, string

_OF_TYPES = {"isinstance", "type", "callable", "issubclass"}
_OF_ATTRIBUTES = {"hasattr", "getattr"}


def told_apart(function: FunctionNode) -> frozenset[str]:
    """The names of whose values a function tells the types apart."""
    return frozenset(name for name, _ in _questions(function, _OF_TYPES))


def behind_questions(function: FunctionNode) -> frozenset[ast.AST]:
    """The reads of attributes in a function that it has asked for, somewhere, and those in branches that such
    a question decides, also by a name that keeps the answer."""
    asked = {(name, attribute) for name, attribute in _questions(function, _OF_ATTRIBUTES)}
    if not asked:
        return frozenset()
    answers = {
        target.id
        for node in every_node(function)
        if isinstance(node, ast.Assign) and any(_questions(node.value, _OF_ATTRIBUTES))
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    decided = (
        n for n in every_node(function) if isinstance(n, ast.If | ast.IfExp) and _asks(n.test, answers)
    )
    within = {inner for node in decided for inner in every_node(node) if isinstance(inner, ast.Attribute)}
    reads = (n for n in every_node(function) if isinstance(n, ast.Attribute))
    return frozenset(
        read
        for read in reads
        if read in within or (isinstance(read.value, ast.Name) and (read.value.id, read.attr) in asked)
    )


def _asks(test: ast.expr, answers: set[str]) -> bool:
    kept = (isinstance(n, ast.Name) and n.id in answers for n in every_node(test))
    return any(kept) or any(_questions(test, {"hasattr"}))


def _questions(node: ast.AST, functions: set[str]) -> Iterator[tuple[str, str | None]]:
    """The names that some functions are asked about below a node, each with the attribute in question."""
    for inner in every_node(node):
        match inner:
            case ast.Call(func=ast.Name(id=called), args=[ast.Name(id=name), *rest]) if called in functions:
                yield name, string(rest[0]) if rest else None
