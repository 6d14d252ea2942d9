"""Which statements of a source text have a word in them, so that the others need not be walked."""

from __future__ import annotations

import ast
import re
from bisect import bisect_left

_NEWLINE = re.compile(rb"\r\n?")


class Spelling:
    """The lines of a text on which a word stands."""

    def __init__(self, source: bytes, word: str) -> None:
        text = _NEWLINE.sub(b"\n", source) if b"\r" in source else source
        self._lines: list[int] = []
        line, at = 1, 0
        for found in re.finditer(rb"\b%s\b" % re.escape(word.encode()), text):
            line += text.count(b"\n", at, found.start())
            at = found.start()
            self._lines.append(line)

    def lacks(self, node: ast.AST) -> bool:
        """Whether a statement lacks the word. In f-strings, Python 3.11 gives expressions other lines."""
        if not isinstance(node, ast.stmt):
            return False
        decorators: list[ast.expr] = getattr(node, "decorator_list", [])
        first = decorators[0].lineno if decorators else node.lineno
        place = bisect_left(self._lines, first)
        return place == len(self._lines) or self._lines[place] > (node.end_lineno or node.lineno)
