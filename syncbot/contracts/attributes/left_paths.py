"""Attributes that a constructor sets on a path that it leaves: on others its object has none."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence

from syncbot.api.every_node import every_node
from syncbot.api.expressions import FunctionNode, dotted
from syncbot.api.remembered_answers import remembered
from syncbot.api.syntax import parsed

_LEAVES = (ast.Return, ast.Raise)


@remembered(512)
def is_set_where_left(source: bytes, line: int, column: int, name: str) -> bool:
    """Whether a read of ``self.name`` (column from 0) stands in a constructor, or in what is put in the place
    of one, and all that the file sets under that name is set in it, in blocks without the read that leave it.
    """
    tree = parsed(source)
    around = _functions_around(tree, line) if tree is not None else []
    if tree is None or not around or not _constructs(around[-1], source):
        return False
    blocks = [block for block in _blocks(around[-1]) if isinstance(block[-1], _LEAVES)]
    left = [b for b in blocks if not _holds(b, line, column)]
    attributes = [n for n in every_node(tree) if isinstance(n, ast.Attribute)]
    sets = [n for n in attributes if isinstance(n.ctx, ast.Store) and dotted(n) == f"self.{name}"]
    return bool(sets) and all(any(_holds(b, n.lineno, n.col_offset) for b in left) for n in sets)


def _functions_around(tree: ast.AST, line: int) -> list[FunctionNode]:
    found = [n for n in every_node(tree) if isinstance(n, FunctionNode)]
    return sorted((f for f in found if f.lineno <= line <= (f.end_lineno or 0)), key=lambda f: f.lineno)


def _constructs(function: FunctionNode, source: bytes) -> bool:
    """Whether a function is a constructor, or is put in the place of one."""
    put = rf"\.__init__[ \t]*=[ \t]*{re.escape(function.name)}[ \t]*$".encode()
    return function.name == "__init__" or re.search(put, source, re.MULTILINE) is not None


def _blocks(function: FunctionNode) -> Iterator[Sequence[ast.stmt]]:
    """The blocks inside a function, those of functions within it aside."""
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, FunctionNode | ast.ClassDef | ast.Lambda):
            continue
        for _, value in ast.iter_fields(node):
            parts = value if isinstance(value, list) else [value]
            waiting += [part for part in parts if isinstance(part, ast.AST)]
            if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                yield value


def _holds(block: Sequence[ast.stmt], line: int, column: int) -> bool:
    first, last = block[0], block[-1]
    end = (last.end_lineno or last.lineno, last.end_col_offset or last.col_offset)
    return (first.lineno, first.col_offset) <= (line, column) < end
