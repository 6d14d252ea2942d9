"""The whole statement that a line of a traceback stands in, read from the source, and what it calls."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator

from syncbot.api.every_node import every_node
from syncbot.api.remembered_answers import remembered
from syncbot.api.syntax import syntax_tree

_BLOCKS = frozenset({"body", "orelse", "finalbody", "handlers", "cases"})
_BUILTIN = frozenset(dir(builtins)) - {"type"}


@remembered(16)
def _statements(text: bytes) -> tuple[ast.stmt, ...]:
    """All statements of a source, outer ones first; none where it cannot be parsed."""
    try:
        tree = syntax_tree(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    return tuple(node for node in every_node(tree) if isinstance(node, ast.stmt))


def statement_at(text: bytes, line: int, code: str = "") -> ast.stmt | None:
    """Return the innermost statement that has a line, 1-based. Where the line does not read as ``code``, what
    ran was another state of the file: then the only line that does is taken, else None is returned."""
    lines = [each.strip() for each in text.decode("utf-8", "replace").splitlines()]
    if code and (line > len(lines) or lines[line - 1] != code):
        same = [number for number, each in enumerate(lines, 1) if each == code]
        if len(same) != 1:
            return None
        line = same[0]
    found = [s for s in _statements(text) if s.lineno <= line <= _end(s)]
    return max(found, key=lambda s: (s.lineno, -_end(s)), default=None)


def shown(statement: ast.stmt) -> str:
    """Return a statement as one line of source; of one with a block only what stands before that."""
    parts = [ast.unparse(part) for part in _heads(statement)]
    return " ".join(" ".join(parts).split())[:400]


def called(statement: ast.stmt) -> list[str]:
    """Return the last names of what a statement calls, outer calls first, those of Python itself left out."""
    calls = [node for head in _heads(statement) for node in every_node(head) if isinstance(node, ast.Call)]
    return list(dict.fromkeys(name for call in calls if (name := _name(call)) and name not in _BUILTIN))


def unpacked(statement: ast.stmt) -> list[str]:
    """Return the last name of the call whose result a statement takes apart; all calls where none is seen."""
    value = statement.value if isinstance(statement, ast.Assign) else None
    if isinstance(statement, ast.For | ast.AsyncFor):
        value = statement.iter
    while isinstance(value, ast.Await):
        value = value.value
    name = _name(value) if isinstance(value, ast.Call) else ""
    return [name] if name and name not in _BUILTIN else called(statement)


def _end(statement: ast.stmt) -> int:
    return statement.end_lineno or statement.lineno


def _heads(statement: ast.stmt) -> Iterator[ast.AST]:
    """Yield the parts of a statement outside its blocks; the statement itself where it has no block."""
    if not any(name in _BLOCKS for name in statement._fields):
        yield statement
        return
    for name, value in ast.iter_fields(statement):
        parts = value if isinstance(value, list) else [value]
        yield from (part for part in parts if name not in _BLOCKS and isinstance(part, ast.AST))


def _name(call: ast.Call) -> str:
    if isinstance(call.func, ast.Attribute):
        return call.func.attr
    return call.func.id if isinstance(call.func, ast.Name) else ""
