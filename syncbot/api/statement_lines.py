"""The text of statements, by the lines of a source that they stand on: where in it does not count."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterable, Sequence
from copy import copy


class StatementLines:
    """The lines of a text, as ``ast`` counts them."""

    def __init__(self, source: bytes) -> None:
        self._lines = source.splitlines()

    def of(self, node: ast.stmt) -> Sequence[bytes]:
        """The lines of a statement, with its decorators."""
        decorators: list[ast.expr] = getattr(node, "decorator_list", [])
        first = min([node.lineno, *(decorator.lineno for decorator in decorators)])
        return self._lines[first - 1 : node.end_lineno]


def hollow(class_: ast.ClassDef) -> ast.ClassDef:
    """A class without what stands in it."""
    bare = copy(class_)
    bare.body = []
    return bare


def digest_of(lines: Iterable[bytes]) -> str:
    """A short digest of some lines."""
    return hashlib.blake2b(b"\n".join(lines), digest_size=8).hexdigest()
