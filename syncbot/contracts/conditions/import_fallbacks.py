"""Code that stands in for an import that fails: the handler of its error, and what asks for its flag."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from syncbot.api.every_node import every_node
from syncbot.api.expressions import expression
from syncbot.api.syntax import parsed
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.conditions.tried_imports import CAUGHT, OF_IMPORTS, caught, names_imported, works
from syncbot.contracts.model import Place


def is_fallback(place: Place, pair: Comparison) -> bool:
    """Whether code runs only where an upstream import fails, and that import works in the new tree."""
    if not any(guard.startswith(("except ", "if ", "else ")) for guard in place.guards):
        return False
    tree = parsed(pair.own_tree.source(place.module))
    for node in every_node(tree) if tree is not None else ():
        if isinstance(node, ast.Try) and (handlers := _idle(node, pair)):
            handled = [statement for handler in handlers for statement in handler.body]
            if any(s.lineno <= place.location.line <= (s.end_lineno or s.lineno) for s in handled):
                return True
            flags = dict(_flags([*node.body, *node.orelse]))
            were = dict(_flags(handled))
            differ = {name: value for name, value in flags.items() if were.get(name) is (not value)}
            if any(_is_off(guard, differ) for guard in place.guards):
                return True
    return False


def _idle(node: ast.Try, pair: Comparison) -> list[ast.ExceptHandler]:
    """The handlers that nothing leads to, since the imports before them work now."""
    if not any(caught(handler) & CAUGHT for handler in node.handlers):
        return []
    names = list(names_imported(node.body))
    old, new = (all(works(universe, name) for name in names) for universe in (pair.old, pair.new))
    if not names or not new:
        return []
    return node.handlers if not old else _never_ran(node, names, pair)


def _never_ran(node: ast.Try, names: Sequence[str], pair: Comparison) -> list[ast.ExceptHandler]:
    """The handlers for failing imports, where upstream has all that is imported and had it before."""
    every = [*names, *names_imported(n for statement in node.body for n in every_node(statement))]
    if any(pair.new.tree_of(name) is None for name in every) or not any(map(pair.new_tree.owns, every)):
        return []
    # What else stands there may raise what a wider handler catches.
    wanted = CAUGHT if all(map(_is_quiet, node.body)) else OF_IMPORTS
    return [handler for handler in node.handlers if (types := caught(handler)) and types <= wanted]


def _is_quiet(statement: ast.stmt) -> bool:
    """Whether a statement raises nothing where its imports work."""
    match statement:
        case ast.Assign(value=value) | ast.AnnAssign(value=value):
            return isinstance(value, ast.Constant | ast.Name | None)
    return isinstance(statement, ast.Import | ast.ImportFrom | ast.Pass)


def _flags(body: Sequence[ast.stmt]) -> Iterator[tuple[str, bool]]:
    for statement in body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Constant(value=bool() as value)):
                yield name, value


def _is_off(guard: str, flags: dict[str, bool]) -> bool:
    """Whether a guard that asks for one flag alone does not hold."""
    kind, _, test = guard.partition(" ")
    node = expression(test) if flags and kind in ("if", "else") else None
    wanted = kind == "if"
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        node, wanted = node.operand, not wanted
    return isinstance(node, ast.Name) and flags.get(node.id) is (not wanted)
