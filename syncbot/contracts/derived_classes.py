"""Classes of a tree that derive from another one."""

from __future__ import annotations

from syncbot.api.symbols import Symbol
from syncbot.api.tree import ModuleTree
from syncbot.contracts.comparison import Comparison


def derived_from(owner: Symbol, tree: ModuleTree, pair: Comparison) -> list[Symbol]:
    """The classes of a tree that derive from a class, directly."""
    short = owner.qualname.rpartition(".")[2]
    derived: dict[str, Symbol] = {}
    for module in tree.mentioning(tree.modules, short):
        table = tree.table(module)
        for class_ in table.classes if table is not None else ():
            if any(base.partition("[")[0].rpartition(".")[2] == short for base in class_.bases):
                found = pair.new.local(module, class_.name)
                if found is not None and owner.name in {c.name for c in pair.new.lineage(found).classes[1:]}:
                    derived[found.name] = found
    return list(derived.values())
