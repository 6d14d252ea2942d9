"""The nodes of a tree as text, and back: dotted names, what an assignment binds, source text."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TypeAlias

from syncbot.patching import lazy_libcst as cst

Definition: TypeAlias = "cst.ClassDef | cst.FunctionDef"


def targets(statement: cst.Assign | cst.AnnAssign) -> list[cst.BaseAssignTargetExpression]:
    """Return what an assignment binds."""
    if isinstance(statement, cst.AnnAssign):
        return [statement.target]
    return [target.target for target in statement.targets]


def imported_names(statement: cst.Import | cst.ImportFrom) -> Sequence[cst.ImportAlias]:
    """Return the names in an import statement; none for ``*``."""
    return () if isinstance(statement.names, cst.ImportStar) else statement.names


def imported_module(statement: cst.ImportFrom) -> str | None:
    """Return the module of a from-import, None for a relative one."""
    return None if statement.relative or statement.module is None else dotted(statement.module)


def dotted(node: cst.CSTNode) -> str | None:
    """Return ``a.b.c`` for a plain chain of names, else None."""
    parts: list[str] = []
    while isinstance(node, cst.Attribute):
        parts.append(node.attr.value)
        node = node.value
    if not isinstance(node, cst.Name):
        return None
    parts.append(node.value)
    return ".".join(reversed(parts))


def unparametrised(node: cst.CSTNode) -> cst.CSTNode:
    """Return what a generic class is parametrised of (``Base`` of ``Base[int]``), else the node."""
    return node.value if isinstance(node, cst.Subscript) else node


def root(node: cst.CSTNode) -> cst.CSTNode:
    """Return the leftmost part of a chain of attributes."""
    while isinstance(node, cst.Attribute):
        node = node.value
    return node


def chain(text: str) -> cst.Attribute | cst.Name:
    """Return the node for a dotted text."""
    first, *rest = text.split(".")
    node: cst.Attribute | cst.Name = cst.Name(first)
    for part in rest:
        node = cst.Attribute(node, cst.Name(part))
    return node


def code(node: cst.CSTNode) -> str:
    """Return the source text of a node."""
    return cst.Module([]).code_for_node(node)


def same_code(node: cst.BaseExpression, text: str, receiver: cst.BaseExpression | None = None) -> bool:
    """Return whether an expression is the text (behind a dot of the receiver), spaces and quotes apart."""
    whole = text if receiver is None else f"({code(receiver)}).{text}"
    try:
        return _syntax(code(node)) == _syntax(whole)
    except SyntaxError:
        return False


def _syntax(text: str) -> str:
    # In parentheses, since an expression over several lines need not be one that stands alone.
    return ast.dump(ast.parse(f"({text})", mode="eval"))
