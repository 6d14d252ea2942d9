"""Code that stands behind an import that fails, in a ``try`` that goes on without it: it does not run."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace

from syncbot.api.every_node import every_node
from syncbot.api.statement_parts import leaves_by_error
from syncbot.api.syntax import parsed
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.conditions.tried_imports import CAUGHT, caught, names_imported, works
from syncbot.contracts.conditions.unhelped_imports import leaves_a_gap
from syncbot.contracts.model import Place

_ALL = CAUGHT | {"BaseException"}


def is_behind_import(place: Place, pair: Comparison) -> bool:
    """Whether an import before a place, in the same ``try``, fails with one of the two upstreams alone, and
    what asks for it goes well without."""
    if not any(guard.startswith("try ") for guard in place.guards):
        return False
    tree = parsed(pair.own_tree.source(place.module))
    line = place.location.line
    return any(
        isinstance(node, ast.Try)
        and any(map(_goes_on, node.handlers))
        and (failing := _failing_before(node.body, line, pair)) is not None
        and not leaves_a_gap(_at(place, failing), tree, pair.own_tree)
        for node in (every_node(tree) if tree is not None else ())
    )


def _goes_on(handler: ast.ExceptHandler) -> bool:
    """Whether a handler catches what a failing import raises, and neither raises nor ends the program."""
    if handler.type is not None and caught(handler).isdisjoint(_ALL):
        return False
    return not any(map(leaves_by_error, every_node(handler)))


def _at(place: Place, statement: ast.stmt) -> Place:
    return replace(place, location=replace(place.location, line=statement.lineno))


def _failing_before(body: Sequence[ast.stmt], line: int, pair: Comparison) -> ast.stmt | None:
    """The import that fails among some statements, before the line of one of them."""
    if not any(s.lineno <= line <= (s.end_lineno or s.lineno) for s in body):
        return None
    before = (s for s in body if (s.end_lineno or s.lineno) < line)
    return next((s for s in before if any(_fails(name, pair) for name in names_imported([s]))), None)


def _fails(name: str, pair: Comparison) -> bool:
    return works(pair.old, name) is not works(pair.new, name)
