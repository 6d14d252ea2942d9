"""The code that a frame of a traceback was running, as syntax."""

from __future__ import annotations

import ast

from syncbot.api.expressions import FunctionNode
from syncbot.api.syntax import syntax_tree
from syncbot.verify.suite.outcomes import Frame

#: The classes and functions around a node, the outermost first.
Around = tuple[ast.AST, ...]


def parsed(text: bytes) -> ast.Module | None:
    """The tree of a source, None where it cannot be parsed."""
    try:
        return syntax_tree(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def expression_at(text: bytes | None, frame: Frame) -> tuple[ast.expr, Around] | None:
    """The expression that a frame was computing, with what is around it; None where that is not known."""
    tree = parsed(text) if text is not None else None
    if tree is None or frame.expression is None:
        return None
    place = (frame.line, *frame.expression)
    left: list[tuple[ast.AST, Around]] = [(tree, ())]
    while left:
        node, around = left.pop()
        if isinstance(node, ast.expr) and _position(node) == place:
            return node, around
        inside = (*around, node) if isinstance(node, ast.ClassDef | FunctionNode) else around
        left += [(child, inside) for child in ast.iter_child_nodes(node)]
    return None


def _position(node: ast.expr) -> tuple[int, int, int, int]:
    """The first line, the last, and the columns of an expression."""
    return node.lineno, node.end_lineno or 0, node.col_offset, node.end_col_offset or 0


def is_plain(call: ast.Call) -> bool:
    """Whether a call is written with all that it passes."""
    starred = any(isinstance(each, ast.Starred) for each in call.args)
    return not starred and all(keyword.arg for keyword in call.keywords)
