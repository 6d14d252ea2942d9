"""Imports that a ``try`` of the backend makes: what they name, and which errors its handlers catch."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

from syncbot.api.every_node import every_node
from syncbot.api.expressions import dotted
from syncbot.api.statement_parts import imported, leaves_by_error
from syncbot.api.universe import Universe
from syncbot.contracts.model import Place
from syncbot.contracts.spelled_names import is_gone

#: What a failing import raises.
OF_IMPORTS = frozenset({"ImportError", "ModuleNotFoundError"})
#: What a handler for failing imports may name.
CAUGHT = OF_IMPORTS | {"Exception"}


def caught(handler: ast.ExceptHandler) -> set[str]:
    """The names of what a handler catches, ``?`` for what has none."""
    types = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return {dotted(type_) or "?" for type_ in types if type_ is not None}


def names_imported(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """The dotted names that the import statements among some nodes ask for."""
    for node in nodes:
        if isinstance(node, ast.Import | ast.ImportFrom):
            for item in imported(node, ""):
                module = "." * item.level + item.module
                yield module if item.name is None else f"{module}.{item.name}"


def is_raised_again(place: Place, tree: ast.Module | None) -> bool:
    """Whether the one handler around an import that catches its error does nothing but say so, and raise or
    end the program."""
    handlers = _handlers(place, tree)
    return bool(handlers) and all(only_raises(handler.body) for handler in handlers)


def fails_as_well(place: Place, tree: ast.Module | None, universe: Universe) -> bool:
    """Whether the handlers of the one ``try`` around an import make another, of what is not there either."""
    handlers = _handlers(place, tree)
    return bool(handlers) and all(
        any(not works(universe, name) for name in names_imported(handler.body)) for handler in handlers
    )


def tried_around(place: Place, tree: ast.Module | None) -> list[tuple[ast.Try, list[ast.ExceptHandler]]]:
    """The one ``try`` around an import, with the handlers for its error; none where there are more."""
    if tree is None or sum(guard.startswith("try ") for guard in place.guards) != 1:
        return []
    line = place.location.line
    tried = (n for n in every_node(tree) if isinstance(n, ast.Try))
    around = [n for n in tried if n.body[0].lineno <= line <= (n.body[-1].end_lineno or line)]
    wanted = {*CAUGHT, "BaseException"}
    return [(n, [h for h in n.handlers if h.type is None or caught(h) & wanted]) for n in around]


def _handlers(place: Place, tree: ast.Module | None) -> list[ast.ExceptHandler]:
    """The handlers for the error of an import that stands in one ``try``."""
    return [handler for _, handlers in tried_around(place, tree) for handler in handlers]


def only_raises(body: Sequence[ast.stmt]) -> bool:
    """Whether some statements say something at most, and then raise or end the program."""
    *before, last = body
    return leaves_by_error(last) and all(isinstance(s, ast.Expr | ast.Assign | ast.Import) for s in before)


def works(universe: Universe, name: str) -> bool:
    """Whether an import works as far as the trees tell."""
    return universe.tree_of(name) is None or not is_gone(universe, universe.resolve(name))
