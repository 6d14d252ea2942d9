"""Whether a method sets an attribute of its object that it has not read until then."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TypeGuard

from syncbot.api.every_node import every_node
from syncbot.api.statement_parts import branches


def sets_unread(block: Sequence[ast.stmt], name: str) -> bool:
    """Whether some way through a block of a method sets ``self.name`` and has not read it before."""
    for statement in block:
        blocks = [block for block, _ in branches(statement) if block]
        heads = _heads(statement) if blocks else [statement]
        if any(_reads(head, name) for head in heads):
            return False
        if any(_sets(head, name) for head in heads):
            return True
        if any(sets_unread(inner, name) for inner in blocks):
            return True
    return False


def _heads(statement: ast.stmt) -> list[ast.AST]:
    """Return what a statement with blocks evaluates before it runs them."""
    match statement:
        case ast.If(test=test) | ast.While(test=test):
            return [test]
        case ast.For(iter=several, target=target) | ast.AsyncFor(iter=several, target=target):
            return [several, target]
        case ast.With(items=items) | ast.AsyncWith(items=items):
            return [*items]
        case ast.Match(subject=subject):
            return [subject]
    return []


def _reads(node: ast.AST, name: str) -> bool:
    match node:
        case ast.AugAssign(target=target) if _is_own(target, name):
            return True
    return any(_is_own(n, name) and isinstance(n.ctx, ast.Load) for n in every_node(node))


def _sets(node: ast.AST, name: str) -> bool:
    return any(_is_own(n, name) and isinstance(n.ctx, ast.Store) for n in every_node(node))


def _is_own(node: ast.AST, name: str) -> TypeGuard[ast.Attribute]:
    match node:
        case ast.Attribute(value=ast.Name(id="self"), attr=attr):
            return attr == name
    return False
