"""The upstream modules that the backend's contracts are about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from syncbot.api.symbols import Symbol
from syncbot.api.universe import Universe
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.kinds.overrides import OverrideContract
from syncbot.contracts.model import Contract


def involved_modules(contracts: Iterable[Contract], pair: Comparison) -> frozenset[str]:
    """The modules of either end in which what a contract names is reached or defined, those of the classes
    that it derives from included. A commit outside of them changes nothing that the backend names."""
    modules = pair.old_tree.modules.keys() | pair.new_tree.modules.keys()
    universes = (pair.old, pair.new)
    names = dict.fromkeys(contract.symbol for contract in contracts)
    found = (module for name in names for universe in universes for module in _modules(name, universe))
    return frozenset(found) & modules


def replaced_classes(contracts: Iterable[Contract]) -> frozenset[str]:
    """The names of upstream's classes of which the backend overrides methods: what makes one of these anew
    may get the backend's own."""
    overridden = (each.symbol.split(".") for each in contracts if isinstance(each, OverrideContract))
    return frozenset(parts[-2] for parts in overridden if len(parts) > 2)


def _modules(name: str, universe: Universe) -> Iterator[str]:
    """The modules that a dotted name may begin with, the longest of the tree and where it is defined."""
    tree = universe.tree_of(name)
    parts = name.split(".")
    if tree is not None:
        names = (".".join(parts[:length]) for length in range(len(parts), 0, -1))
        yield from next(([module] for module in names if module in tree.modules), [])
    found = universe.resolve(name) or universe.resolve(name.rpartition(".")[0])
    if found is not None:
        yield from (found.module, *found.via)
        yield from _inherited(found, universe)


def _inherited(symbol: Symbol, universe: Universe) -> Iterator[str]:
    if symbol.kind == "class":
        for each in universe.lineage(symbol).classes:
            yield each.module
