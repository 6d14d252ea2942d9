"""Lines of one statement: engines name the call, its name, or the argument that does not fit."""

from __future__ import annotations

import ast
from functools import cache

from syncbot.api.every_node import children
from syncbot.api.syntax import parse
from syncbot.contracts.sources import Backend


class Statements:
    """The statements of a backend's files; every file is parsed once, when it is asked for."""

    def __init__(self, backend: Backend) -> None:
        self._files = {file.path: file.text for file in backend.files}
        self._starts = cache(self._read)

    def start(self, path: str, line: int) -> int:
        """The line where the innermost statement at a line begins; itself in an unknown file."""
        return self._starts(path).get(line, line)

    def _read(self, path: str) -> dict[int, int]:
        starts: dict[int, int] = {}
        try:
            stack: list[ast.AST] = [parse(self._files.get(path, b""))]
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return {}
        while stack:
            node = stack.pop()
            inner = children(node)
            if isinstance(node, ast.stmt):
                body: list[ast.stmt] = getattr(node, "body", [])
                last = body[0].lineno - 1 if body else node.end_lineno or node.lineno
                for line in range(node.lineno, max(last, node.lineno) + 1):
                    # Of several on one line the first is meant.
                    starts[line] = min(starts.get(line, node.lineno), node.lineno)
            stack.extend(n for n in inner if isinstance(n, ast.stmt | ast.ExceptHandler | ast.match_case))
        return starts
