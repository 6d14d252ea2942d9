"""Function bodies as lists of normalised statements, so that a copy and its original can be compared."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from syncbot.api.function_text import function_text
from syncbot.api.remembered_answers import remembered
from syncbot.api.statement_parts import branches
from syncbot.api.syntax import syntax_tree

_BORING = {"pass", "return", "else:", "continue", "break", "try:", "finally:", "return None"}


@dataclass(frozen=True, slots=True)
class Edit:
    """One place where an original changed: the lines it lost and gained there, and the lines before it."""

    lost: tuple[str, ...]
    gained: tuple[str, ...]
    before: str
    after: str


@remembered(4096)
def statements(source: bytes, first: int, last: int) -> tuple[str, ...]:
    """The statements of the function in these lines, one normalised line each (of compound ones the header),
    without comments and docstrings; empty for no function."""
    try:
        module = syntax_tree(function_text(source, first, last).encode())
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    node = module.body[0] if module.body else None
    if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return ()
    body = node.body[1:] if ast.get_docstring(node, clean=False) is not None else node.body
    found: list[str] = []
    try:
        _flatten(body, found)
    except RecursionError:
        return ()
    return tuple(found)


def _flatten(body: Sequence[ast.stmt], found: list[str]) -> None:
    for node in body:
        inner = list(branches(node))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.append(f"def {node.name}")
            _flatten(node.body, found)
        elif inner:
            found.append(_header(node))
            for part, _ in inner:
                _flatten(part, found)
        elif not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)):
            found.append(ast.unparse(node))


def _header(node: ast.stmt) -> str:
    match node:
        case ast.If(test=test):
            return f"if {ast.unparse(test)}:"
        case ast.While(test=test):
            return f"while {ast.unparse(test)}:"
        case ast.For(target=target, iter=iterated) | ast.AsyncFor(target=target, iter=iterated):
            return f"for {ast.unparse(target)} in {ast.unparse(iterated)}:"
        case ast.With(items=items) | ast.AsyncWith(items=items):
            return f"with {', '.join(ast.unparse(i) for i in items)}:"
        case _:
            return f"{type(node).__name__.lower()}:"


def resemblance(copy: Sequence[str], original: Sequence[str]) -> float:
    """The share of the original's statements that the copy has too, from 0 to 1."""
    if not original:
        return 0.0
    shared = Counter(copy) & Counter(original)
    return shared.total() / max(len(original), len(copy))


def edits(old: Sequence[str], new: Sequence[str]) -> list[Edit]:
    """Where one list of statements differs from another."""
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    return [
        Edit(tuple(old[a:b]), tuple(new[c:d]), old[a - 1] if a else "", old[b] if b < len(old) else "")
        for tag, a, b, c, d in matcher.get_opcodes()
        if tag != "equal"
    ]


def concerning(changes: Sequence[Edit], copy: Sequence[str]) -> list[tuple[str, str]]:
    """Pairs of lost and gained lines that concern a copy: a lost line that it has, or, where none was lost, a
    gained line that it lacks although it has both lines around it."""
    mine = set(copy)
    found: list[tuple[str, str]] = []
    for change in changes:
        kept = [line for line in change.lost if line in mine and line not in _BORING]
        fresh = [line for line in change.gained if line not in mine and line not in _BORING]
        if kept:
            found.extend((line, fresh[0] if fresh else "") for line in kept)
        elif (
            fresh and not change.lost and change.before in mine and (not change.after or change.after in mine)
        ):
            found.extend(("", line) for line in fresh)
    return found
