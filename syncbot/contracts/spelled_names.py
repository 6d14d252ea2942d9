"""Names that a module has by spelling them in its ``__getattr__``, as what is deprecated often stands."""

from __future__ import annotations

from syncbot.api.lazy_names import answers
from syncbot.api.model import ModuleTable
from syncbot.api.symbols import Symbol
from syncbot.api.universe import Universe


def is_spelled(universe: Universe, symbol: Symbol) -> bool:
    """Whether a name of unknown nature is one that its module's own ``__getattr__`` spells, or finds under a
    private name that ends with it (``_DEPRECATED_NAME``)."""
    if symbol.kind != "unknown" or "." in symbol.qualname:
        return False
    table, tree = universe.table(symbol.module), universe.tree_of(symbol.module)
    if table is None or tree is None or not answers(table.functions, table.variables):
        return False
    return _has_private(table, symbol.qualname) or bool(
        tree.mentioning([symbol.module], f"'{symbol.qualname}'", f'"{symbol.qualname}"')
    )


def is_gone(universe: Universe, found: Symbol | None) -> bool:
    """Whether there is no such name in a universe, where it leads to ``found``. A name from outside the trees
    or of a module that cannot be parsed may exist; so may one that a ``__getattr__`` spells, or finds under a
    private name."""
    if found is None or found.kind != "unknown":
        return found is None
    table = universe.table(found.module)
    if table is None or table.problem is not None:
        return False
    if "." in found.qualname:
        return True
    tree = universe.tree_of(found.module)
    quoted = (f"'{found.qualname}'", f'"{found.qualname}"')
    return not _has_private(table, found.qualname) and (
        tree is None or not tree.mentioning([found.module], *quoted)
    )


def _has_private(table: ModuleTable, name: str) -> bool:
    """Whether a module has a variable whose name is this one behind a mark, such as ``_DEPRECATED_``."""
    names = (*(v.name for v in table.variables), *(i.local for i in table.imports if not i.scope))
    return any(known.startswith("_") and known[1:].endswith(f"_{name}") for known in names)
