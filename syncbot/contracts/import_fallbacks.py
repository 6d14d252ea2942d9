"""Code that stands in for an import that fails: the handler of its error, and what asks for its flag."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from syncbot.api.expressions import dotted, expression
from syncbot.api.extract import imported, parsed
from syncbot.api.universe import Universe
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.model import Place
from syncbot.contracts.spelled_names import is_gone

_CAUGHT = {"ImportError", "ModuleNotFoundError", "Exception"}


def is_fallback(place: Place, pair: Comparison) -> bool:
    """Whether code ran because an upstream import failed, and that import works from now on."""
    if not any(guard.startswith(("except ", "if ", "else ")) for guard in place.guards):
        return False
    tree = parsed(pair.own_tree.source(place.module))
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.Try) and _catches_imports(node) and _works_now(node, pair):
            handled = [statement for handler in node.handlers for statement in handler.body]
            if any(s.lineno <= place.location.line <= (s.end_lineno or s.lineno) for s in handled):
                return True
            flags = dict(_flags([*node.body, *node.orelse]))
            were = dict(_flags(handled))
            differ = {name: value for name, value in flags.items() if were.get(name) is (not value)}
            if any(_is_off(guard, differ) for guard in place.guards):
                return True
    return False


def _catches_imports(node: ast.Try) -> bool:
    types = [h.type for h in node.handlers if h.type is not None]
    names = {dotted(e) for t in types for e in (t.elts if isinstance(t, ast.Tuple) else [t])}
    return bool(names & _CAUGHT)


def _works_now(node: ast.Try, pair: Comparison) -> bool:
    names = list(_imports(node.body))
    old, new = (all(_exists(universe, name) for name in names) for universe in (pair.old, pair.new))
    return bool(names) and new and not old


def _imports(body: Sequence[ast.stmt]) -> Iterator[str]:
    for statement in body:
        if isinstance(statement, ast.Import | ast.ImportFrom):
            for item in imported(statement, ""):
                yield item.module if item.name is None else f"{item.module}.{item.name}"


def _exists(universe: Universe, name: str) -> bool:
    """Whether an import works as far as the trees tell."""
    return universe.tree_of(name) is None or not is_gone(universe, universe.resolve(name))


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
