"""Which class a type checker means by a name: it prints the last part alone, which many classes may have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from syncbot.api.import_closure import sources
from syncbot.api.symbols import Symbol
from syncbot.api.tree import ModuleTree
from syncbot.api.universe import Universe


@dataclass(frozen=True)
class PrintedClasses:
    """The classes of both upstream trees, and of the backend; ``homes`` are upstream's modules by the last
    names of the classes in them."""

    old: Universe
    new: Universe
    trees: tuple[ModuleTree, ModuleTree]
    own: ModuleTree
    homes: Mapping[str, tuple[str, ...]]

    def named(self, printed: str, module: str) -> str | None:
        """The dotted name of the class that is printed for a module of the backend: dotted, known there, or
        the only one of all that the backend defines or that its imports lead to."""
        if "." in printed and (symbol := self.old.resolve(printed) or self.new.resolve(printed)):
            return symbol.name
        for universe in (self.old, self.new):
            local = universe.local(module, printed)
            if local is not None and local.kind == "class":
                return local.name
        last = printed.rpartition(".")[2]
        homes = [home for home in self.homes.get(last, ()) if home in self._used]
        return f"{homes[0]}.{last}" if len(homes) == 1 and last not in self._own_names else None

    def in_one(self, universe: Universe, name: str) -> Symbol | None:
        """The class in one of the universes, also where it has moved."""
        symbol = universe.resolve(name) or self._moved(universe, name)
        return symbol if symbol is not None and symbol.kind == "class" else None

    def _moved(self, universe: Universe, name: str) -> Symbol | None:
        """The one class of that name whose place is new there: one that stood there all along is another."""
        other = self.new if universe is self.old else self.old
        last = name.rpartition(".")[2]
        found = []
        for place in (f"{home}.{last}" for home in self.homes.get(last, ())):
            here, there = universe.resolve(place), other.resolve(place)
            if here is not None and here.name == place and (there is None or there.name != place):
                found.append(here)
        return found[0] if len(found) == 1 else None

    @cached_property
    def _own_names(self) -> frozenset[str]:
        tables = map(self.own.table, self.own.modules)
        return frozenset(node.name for table in tables if table is not None for node in table.classes)

    @cached_property
    def _used(self) -> frozenset[str]:
        return frozenset(module for tree in self.trees for module in used_modules(self.own, tree))


def used_modules(own: ModuleTree, upstream: ModuleTree) -> frozenset[str]:
    """The modules of ``upstream`` that imports of a backend lead to, by way of others too; imports in
    functions and for type checkers alone count."""
    found: set[str] = set()
    waiting = [source for module in own.modules for source in _imported(own, module)]
    while waiting:
        name = waiting.pop()
        while name and name not in found:
            if name in upstream.modules:
                found.add(name)
                waiting.extend(source for source in _imported(upstream, name) if source not in found)
            name = name.rpartition(".")[0]
    return frozenset(found)


def _imported(tree: ModuleTree, module: str) -> Iterator[str]:
    table = tree.table(module)
    for bound in table.imports if table is not None else ():
        yield from sources(tree, module, bound)
