"""Code that stands behind an import that fails, in a ``try`` that goes on without it: it does not run."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from syncbot.api.every_node import every_node
from syncbot.api.statement_parts import leaves_by_error
from syncbot.api.syntax import parsed
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.conditions.tried_imports import CAUGHT, caught, names_imported, works
from syncbot.contracts.model import Place

_ALL = CAUGHT | {"BaseException"}


def is_behind_import(place: Place, pair: Comparison) -> bool:
    """Whether an import before a place, in the same ``try``, fails with one of the two upstreams alone."""
    if not any(guard.startswith("try ") for guard in place.guards):
        return False
    tree = parsed(pair.own_tree.source(place.module))
    line = place.location.line
    return any(
        isinstance(node, ast.Try)
        and any(map(_goes_on, node.handlers))
        and _fails_before(node.body, line, pair)
        for node in (every_node(tree) if tree is not None else ())
    )


def _goes_on(handler: ast.ExceptHandler) -> bool:
    """Whether a handler catches what a failing import raises, and neither raises nor ends the program."""
    if handler.type is not None and caught(handler).isdisjoint(_ALL):
        return False
    return not any(map(leaves_by_error, every_node(handler)))


def _fails_before(body: Sequence[ast.stmt], line: int, pair: Comparison) -> bool:
    """Whether a line stands in one of some statements, and behind an import among them that fails."""
    if not any(s.lineno <= line <= (s.end_lineno or s.lineno) for s in body):
        return False
    before = [s for s in body if (s.end_lineno or s.lineno) < line]
    return any(works(pair.old, name) is not works(pair.new, name) for name in names_imported(before))
