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


def is_gone(universe: Universe, found: Symbol | None) -> bool:
    """Whether there is no such name in a universe, where it leads to ``found``. A name from outside the trees
    or of a module that cannot be parsed may exist; so may one that a ``__getattr__`` spells."""
    if found is None or found.kind != "unknown":
        return found is None
    table = universe.table(found.module)
    if table is None or table.problem is not None:
        return False
    if "." in found.qualname:
        return True
    tree = universe.tree_of(found.module)
    quoted = (f"'{found.qualname}'", f'"{found.qualname}"')
    return tree is None or not tree.mentioning([found.module], *quoted)
