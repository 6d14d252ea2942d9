"""Names that a module has by spelling them in its ``__getattr__``, as what is deprecated often stands."""

from __future__ import annotations

import ast

from syncbot.api.every_node import every_node
from syncbot.api.lazy_names import answers
from syncbot.api.model import ModuleTable
from syncbot.api.remembered_answers import remembered
from syncbot.api.symbols import Symbol
from syncbot.api.syntax import parsed
from syncbot.api.universe import Universe


def is_spelled(universe: Universe, symbol: Symbol) -> bool:
    """Whether a name of unknown nature is one that its module's own ``__getattr__`` spells, or finds under a
    private name that ends with it (``_DEPRECATED_NAME``)."""
    if symbol.kind != "unknown" or "." in symbol.qualname:
        return False
    table = universe.table(symbol.module)
    if table is None or not answers(table.functions, table.variables):
        return False
    return _may_give(universe, table, symbol)


def is_there(universe: Universe, symbol: Symbol) -> bool:
    """Whether what a name leads to is seen: it has a nature, is imported from outside the trees, whatever it
    is there, or is spelled by its module's ``__getattr__``."""
    return symbol.kind != "unknown" or universe.tree_of(symbol.module) is None or is_spelled(universe, symbol)


def is_gone(universe: Universe, found: Symbol | None) -> bool:
    """Whether there is no such name in a universe, where it leads to ``found``. A name from outside the trees
    or of a module that cannot be parsed may exist; so may one that a ``__getattr__`` spells, or finds under a
    private name."""
    if found is None or found.kind != "unknown":
        return found is None
    table = universe.table(found.module)
    if table is None or table.problem is not None:
        return False
    return "." in found.qualname or not _may_give(universe, table, found)


def _may_give(universe: Universe, table: ModuleTable, symbol: Symbol) -> bool:
    """Whether a module has a private variable for a name, or spells it and not only to refuse it."""
    name, tree = symbol.qualname, universe.tree_of(symbol.module)
    if _has_private(table, name):
        return True
    spelled = tree is not None and tree.mentioning([symbol.module], f"'{name}'", f'"{name}"')
    return bool(spelled) and name not in _refused(universe.source(symbol.module) or b"")


@remembered(512)
def _refused(source: bytes) -> frozenset[str]:
    """The names for which a table of a text has a message and nothing else: ``{"A": ("A is gone.", None)}``,
    as https://github.com/jax-ml/jax/blob/main/jax/_src/deprecations.py reads it."""
    tree = parsed(source) if b"None)" in source else None
    tables = [n for n in every_node(tree) if isinstance(n, ast.Dict)] if tree is not None else []
    return frozenset(
        key.value
        for table in tables
        for key, value in zip(table.keys, table.values, strict=True)
        if isinstance(key, ast.Constant) and isinstance(key.value, str) and _is_refusal(value)
    )


def _is_refusal(value: ast.expr) -> bool:
    match value:
        case ast.Tuple(elts=[ast.Constant(value=str(message)), ast.Constant(value=None)]):
            # What is looked up elsewhere is named there by one word.
            return " " in message
    return False


def _has_private(table: ModuleTable, name: str) -> bool:
    """Whether a module has a variable whose name is this one behind a mark, such as ``_DEPRECATED_``."""
    names = (*(v.name for v in table.variables), *(i.local for i in table.imports if not i.scope))
    return any(known.startswith("_") and known[1:].endswith(f"_{name}") for known in names)
