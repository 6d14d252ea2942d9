"""Expressions as text: what stands in symbol tables of bases, defaults, annotations and conditions."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from typing import Any

# Larger numbers may have more digits than Python writes at once.
_SMALL = 1 << 64
_VALUE_LIMIT = 200
_SIMPLE_TEXT = re.compile(r"[\w .,:;/+*=()\[\]<>@!?|~^&%$#{}-]*", re.ASCII)
_COMPARING: dict[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "in",
    ast.NotIn: "not in",
}

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef
_PRIMARY = (ast.Name, ast.Attribute, ast.Subscript, ast.Call)


def is_none(node: ast.AST) -> bool:
    """Whether an expression is ``None``."""
    return isinstance(node, ast.Constant) and node.value is None


def named_arguments(arguments: ast.arguments) -> list[ast.arg]:
    """The parameters of a function, ``*`` and ``**`` ones left out."""
    return [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]


def text(node: ast.AST | None) -> str | None:
    """Normalised source text of an expression, None for None; ``...`` for one that is nested too deeply."""
    try:
        return None if node is None else written(node)
    except RecursionError:
        return "..."


def short_text(node: ast.AST | None) -> str | None:
    """The same, cut at 200 characters: what a symbol table keeps of a value."""
    shown = text(node)
    return shown and shown[:_VALUE_LIMIT]


def last_name(written: str) -> str:
    """The last part of what a text names or calls: ``lru_cache`` of ``functools.lru_cache(maxsize=1)``."""
    return written.partition("(")[0].rpartition(".")[2]


def plain(node: ast.AST) -> str | None:
    """Return the text of :func:`ast.unparse` for the commonest expressions, many times faster; else None."""
    kind = type(node)
    if kind is ast.Name or kind is ast.Attribute:
        return dotted(node)
    writer = _PLAIN.get(kind)
    return writer(node) if writer is not None else None


def _constant(node: ast.Constant) -> str | None:
    value = node.value
    if value is None or value is True or value is False:
        return str(value)
    if type(value) is int and 0 <= value < _SMALL:
        return str(value)
    if type(value) is str and node.kind is None and _SIMPLE_TEXT.fullmatch(value):
        return f"'{value}'"
    return None


def _subscript(node: ast.Subscript) -> str | None:
    # Other things stand in parentheses before an index, and without them inside.
    whole = plain(node.value) if isinstance(node.value, _PRIMARY) else None
    inner = plain(node.slice) if isinstance(node.slice, (*_PRIMARY, ast.Constant)) else None
    return f"{whole}[{inner}]" if whole is not None and inner is not None else None


def _call(node: ast.Call) -> str | None:
    called = dotted(node.func)
    given = [plain(argument) for argument in node.args]
    named = [(keyword.arg, plain(keyword.value)) for keyword in node.keywords]
    if called is None or None in given or not all(name and value for name, value in named):
        return None
    return f"{called}({', '.join([*map(str, given), *(f'{name}={value}' for name, value in named)])})"


def _alternatives(node: ast.BinOp) -> str | None:
    if not isinstance(node.op, ast.BitOr):
        return None
    left = plain(node.left)
    right = plain(node.right) if not isinstance(node.right, ast.BinOp) else None
    return f"{left} | {right}" if left is not None and right is not None else None


_PLAIN: dict[type[ast.AST], Callable[[Any], str | None]] = {
    ast.Constant: _constant, ast.Subscript: _subscript, ast.Call: _call, ast.BinOp: _alternatives,
}  # fmt: skip


def written(node: ast.AST) -> str:
    """Normalised source text of a node. Raises RecursionError for one that is nested too deeply."""
    return plain(node) or ast.unparse(node)


def condition_text(node: ast.expr) -> str:
    """The same for the test of an ``if``, most of which compare two plain things or negate one."""
    match node:
        case ast.UnaryOp(op=ast.Not(), operand=operand) if (shown := plain(operand)) is not None:
            return f"not {shown}"
        case ast.Compare(left=left, ops=[operator], comparators=[right]) if (
            before := plain(left)
        ) is not None and (after := plain(right)) is not None:
            return f"{before} {_COMPARING[type(operator)]} {after}"
    return written(node)


def string(node: ast.AST | None) -> str | None:
    """Return the text of a string constant, None for anything else."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def expression(text: str) -> ast.expr | None:
    """The expression that a text is, None for a text that is none."""
    try:
        return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def dotted(node: ast.AST) -> str | None:
    """``a.b.c`` for a chain of names and attributes, else None."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    parts.append(node.id)
    return ".".join(reversed(parts))
