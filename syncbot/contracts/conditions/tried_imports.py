"""Imports that a ``try`` of the backend makes: what they name, and which errors its handlers catch."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from syncbot.api.expressions import dotted
from syncbot.api.extract import imported
from syncbot.api.universe import Universe
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


def works(universe: Universe, name: str) -> bool:
    """Whether an import works as far as the trees tell."""
    return universe.tree_of(name) is None or not is_gone(universe, universe.resolve(name))
