"""Finds the deprecation notices of a module: its deprecated definitions, and what to use instead.

It reads the decorator of PEP 702 and similar ones, ``warnings.warn`` in a body without a condition,
docstrings, and the string below a field (PEP 257)."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence

from syncbot.api.expressions import FunctionNode, dotted
from syncbot.api.remembered_answers import remembered
from syncbot.api.syntax import parsed

#: A text without this has no notice.
WORD = "eprecated"
_NOTICE = re.compile(r"(?:^|[.\n])\s*(?:\.\. |\[|\*+|:)*deprecated\b", re.IGNORECASE)
_CATEGORIES = {"DeprecationWarning", "PendingDeprecationWarning", "FutureWarning"}
_LONGEST = 160


@remembered(256)
def notices(source: bytes) -> Mapping[str, str]:
    """The dotted names that a module says to be deprecated, each with its words, empty without any."""
    tree = parsed(source)
    return dict(_in_body(tree.body, "")) if tree is not None else {}


def _in_body(body: Sequence[ast.stmt], scope: str) -> Iterator[tuple[str, str]]:
    for place, node in enumerate(body):
        match node:
            case ast.AnnAssign(target=ast.Name(id=name)) | ast.Assign(targets=[ast.Name(id=name)]):
                below = body[place + 1] if place + 1 < len(body) else None
                words = _said(_text(below.value)) if isinstance(below, ast.Expr) else None
                if words is not None:
                    yield scope + name, words
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                words = _of_definition(node)
                if words is not None:
                    yield scope + node.name, words
                if isinstance(node, ast.ClassDef):
                    yield from _in_body(node.body, f"{scope}{node.name}.")


def _of_definition(node: FunctionNode | ast.ClassDef) -> str | None:
    for decorator in node.decorator_list:
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        if (dotted(called) or "").rpartition(".")[2] == "deprecated":
            return _first_text(decorator.args) if isinstance(decorator, ast.Call) else ""
    for statement in node.body if isinstance(node, FunctionNode) else ():
        match statement:
            case ast.Expr(value=ast.Call(func=func, args=[message, *more], keywords=keywords)):
                named = [*more, *(k.value for k in keywords if k.arg == "category")]
                if (dotted(func) or "").rpartition(".")[2] == "warn" and any(
                    (dotted(each) or "") in _CATEGORIES for each in named
                ):
                    return _first_text([message])
    return _said(ast.get_docstring(node) or "")


def _first_text(nodes: Sequence[ast.expr]) -> str:
    return _shown(_text(nodes[0])) if nodes else ""


def _text(node: ast.expr) -> str:
    """The text of a string, also of one with values in it."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=parts):
            return "".join(_text(part) if isinstance(part, ast.Constant) else "…" for part in parts)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _text(left) + _text(right)
    return ""


def _said(text: str) -> str | None:
    """The words of a notice in a docstring; None where it has none."""
    found = _NOTICE.search(text)
    return _shown(text[found.start() :].lstrip(".\n")) if found is not None else None


def _shown(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= _LONGEST else f"{words[:_LONGEST].rpartition(' ')[0]} …"
