"""Where upstream names one of its own classes or functions."""

from __future__ import annotations

from collections.abc import Iterator

from syncbot.api.symbols import Symbol
from syncbot.api.tree import ModuleTree
from syncbot.api.universe import Universe
from syncbot.contracts.unreached.named_as_value import Mention, mentions
from syncbot.contracts.unreached.used_names import imported_as


def others_naming(found: Symbol, tree: ModuleTree, universe: Universe) -> list[Mention]:
    """The places that name a class or function, but for those in itself, also as what they import it as; none
    if there are many."""
    short = found.qualname.rpartition(".")[2]
    renaming = [*imported_as(tree, short)]
    places = mentions(tree, short)
    renamed = [(module, mentions(tree, name)) for module, name in renaming]
    if places is None or any(named is None for _, named in renamed):
        return []
    keeping = {module for module, _ in renaming}
    others = [
        p for p in places if p.module in keeping or not _means_another(p.module, short, found, universe)
    ]
    others += (p for module, named in renamed for p in named or () if p.module == module)
    return [*_outside(found, others)]


def _outside(found: Symbol, places: list[Mention]) -> Iterator[Mention]:
    inside = f"{found.qualname}."
    yield from (p for p in places if p.module != found.module or not f"{p.scope}.".startswith(inside))


def _means_another(module: str, name: str, found: Symbol, universe: Universe) -> bool:
    """Whether a module imports something else under a name."""
    known = universe.local(module, name) if module != found.module else None
    return known is not None and known.name != found.name and known.module != module
