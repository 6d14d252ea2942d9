"""Names that a module has by spelling them in its ``__getattr__``, as what is deprecated often stands."""

from __future__ import annotations

from syncbot.api.symbols import Symbol
from syncbot.api.universe import Universe


def is_spelled(universe: Universe, symbol: Symbol) -> bool:
    """Whether a name of unknown nature is one that its module's own ``__getattr__`` spells."""
    if symbol.kind != "unknown" or "." in symbol.qualname:
        return False
    table, tree = universe.table(symbol.module), universe.tree_of(symbol.module)
    if table is None or tree is None or all(f.name != "__getattr__" for f in table.functions):
        return False
    return bool(tree.mentioning([symbol.module], f"'{symbol.qualname}'", f'"{symbol.qualname}"'))
