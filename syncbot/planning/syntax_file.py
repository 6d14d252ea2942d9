"""One file of the backend as syntax: what stands at a place, and what is around it."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterator
from functools import cached_property

from syncbot.api.every_node import children, every_node
from syncbot.api.expressions import FunctionNode
from syncbot.api.syntax import parse
from syncbot.impact.model import Location

Routine = FunctionNode
Definition = Routine | ast.ClassDef


class SyntaxFile:
    """One file of the backend as syntax: what stands at a place, and what is around it."""

    def __init__(self, text: bytes) -> None:
        self.tree = parse(text)
        self._lines = text.decode("utf-8", "replace").lstrip("\ufeff").splitlines()
        self.parents: dict[ast.AST, ast.AST] = {}
        #: All of them, in the order of :func:`every_node`.
        self.nodes = list(every_node(self.tree))
        for node in self.nodes:
            for child in children(node):
                self.parents[child] = node

    def around(self, node: ast.AST) -> Iterator[ast.AST]:
        """Yield the nodes that contain a node, innermost first."""
        while (parent := self.parents.get(node)) is not None:
            yield parent
            node = parent

    def definitions(self, node: ast.AST) -> list[Definition]:
        """The classes and functions around a node, outermost first."""
        found = [n for n in self.around(node) if isinstance(n, Definition)]
        return found[::-1]

    def within(self, node: ast.AST) -> str | None:
        """The dotted name of the innermost definition around a node, None at module level."""
        return ".".join(d.name for d in self.definitions(node)) or None

    def source(self, node: ast.stmt) -> str:
        """The lines of a statement, dedented."""
        return textwrap.dedent("\n".join(self._lines[node.lineno - 1 : node.end_lineno]))

    @cached_property
    def calls(self) -> dict[str, list[ast.Call]]:
        """The calls of the file by the last name of what they call."""
        found: dict[str, list[ast.Call]] = {}
        for node in self.nodes:
            if isinstance(node, ast.Call):
                found.setdefault(callee(node), []).append(node)
        return found

    def calls_around(self, place: Location) -> list[ast.Call]:
        """The calls whose text holds a place, the innermost (shortest) first."""
        spot = (place.line, place.column - 1)
        found = [n for n in self.nodes if isinstance(n, ast.Call) and _holds(n, spot)]
        return sorted(found, key=lambda n: (-n.lineno, -n.col_offset, n.end_lineno, n.end_col_offset))

    def routine_at(self, place: Location) -> Routine | None:
        """The function whose head (decorators, name or parameters) holds a place, the innermost."""
        found = [n for n in self.nodes if isinstance(n, Routine) and _head_holds(n, place.line)]
        return max(found, key=lambda n: n.lineno, default=None)


def callee(call: ast.Call) -> str:
    """The last name of what is called, empty where it has none."""
    function = call.func
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def _holds(node: ast.expr, spot: tuple[int, int]) -> bool:
    start, end = (node.lineno, node.col_offset), (node.end_lineno or 0, node.end_col_offset or 0)
    return start <= spot < end


def _head_holds(node: Routine, line: int) -> bool:
    first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
    return first <= line < max(node.body[0].lineno, node.lineno + 1)
