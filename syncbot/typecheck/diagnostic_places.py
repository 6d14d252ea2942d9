"""Where in the backend a diagnostic stands: the class and the statement around it, and its conditions."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from syncbot.api.every_node import every_node
from syncbot.api.expressions import dotted
from syncbot.api.statement_parts import branches
from syncbot.api.syntax import parsed
from syncbot.contracts.sources import Backend, SourceFile


@dataclass(frozen=True, slots=True)
class Place:
    """``scope`` are the names of the classes around, ``statement`` is the innermost statement."""

    file: SourceFile
    line: int
    column: int
    scope: tuple[str, ...]
    guards: tuple[str, ...]
    statement: ast.stmt | None

    def attribute(self, name: str) -> ast.Attribute | None:
        """The expression that reads or writes ``.name`` on the line."""
        nodes = every_node(self.statement) if self.statement is not None else ()
        found = [n for n in nodes if isinstance(n, ast.Attribute) and n.attr == name]
        return next((n for n in found if n.lineno <= self.line <= (n.end_lineno or n.lineno)), None)

    def assigns(self, name: str) -> str | None:
        """The dotted target where the statement assigns to ``….name``."""
        targets: list[ast.expr] = []
        if isinstance(self.statement, ast.Assign):
            targets = self.statement.targets
        elif isinstance(self.statement, ast.AnnAssign | ast.AugAssign):
            targets = [self.statement.target]
        for target in targets:
            if isinstance(target, ast.Attribute) and target.attr == name:
                return dotted(target) or f"?.{name}"
        return None

    @property
    def is_keyword(self) -> bool:
        """Whether the place is a keyword argument of a call, its name or its value."""
        for call in self.calls():
            for keyword in call.keywords:
                for node in (keyword, keyword.value):
                    if (node.lineno, node.col_offset + 1) == (self.line, self.column):
                        return True
        return False

    def names(self, last: str) -> bool:
        """Whether a positional argument at the place is a name that ends so: ``self.size`` for ``size``."""
        for call in self.calls():
            for given in call.args:
                if (given.lineno, given.col_offset + 1) == (self.line, self.column):
                    return (dotted(given) or "").rpartition(".")[2] == last
        return False

    def calls(self) -> Iterator[ast.Call]:
        """The calls of the statement that stand on the line, innermost last."""
        for node in every_node(self.statement) if self.statement is not None else ():
            if isinstance(node, ast.Call) and node.lineno <= self.line <= (node.end_lineno or node.lineno):
                yield node


class Places:
    """Finds places; every file is parsed once."""

    def __init__(self, backend: Backend) -> None:
        self._files = {file.path: file for file in backend.files}
        self._tree = cache(lambda path: parsed(self._files[path].text) if path in self._files else None)

    def at(self, path: str, line: int, column: int) -> Place | None:
        """The place, None for a file that is not the backend's or does not parse."""
        file = self._files.get(path)
        tree = self._tree(path)
        if file is None or tree is None:
            return None
        scope: list[str] = []
        guards: list[str] = []
        statement: ast.stmt | None = None
        body: list[ast.stmt] | None = list(tree.body)
        while body:
            inner = next((s for s in body if _first(s) <= line <= (s.end_lineno or s.lineno)), None)
            body = None
            if inner is None:
                break
            statement = inner
            if isinstance(inner, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                if isinstance(inner, ast.ClassDef) and line >= inner.lineno:
                    scope.append(inner.name)
                body = list(inner.body)
                continue
            for block, added in branches(inner):
                if block and _first(block[0]) <= line <= (block[-1].end_lineno or block[-1].lineno):
                    guards += added
                    body = list(block)
        return Place(file, line, column, tuple(scope), tuple(guards), statement)


def _first(node: ast.stmt) -> int:
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(d.lineno for d in decorators)])
