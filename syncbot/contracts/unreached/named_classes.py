"""Which of the backend's classes a name in one of its modules means, where several bear the same one."""

from __future__ import annotations

from collections.abc import Collection

from syncbot.api.symbols import Symbol
from syncbot.api.syntax import parsed
from syncbot.api.tree import ModuleTree
from syncbot.api.universe import Universe
from syncbot.contracts.inference.local_imports import imported_within
from syncbot.contracts.unreached.named_as_value import Mention, mentions
from syncbot.contracts.unreached.used_names import imported_as


def places_naming(
    class_: Symbol, own: ModuleTree, universe: Universe, tests: Collection[str]
) -> list[Mention]:
    """The places of the backend, its ``tests`` left out, that name a class of it, also as what they import it
    as; none if there are many."""
    short = _short(class_)
    names = dict.fromkeys((short, *(other for _, other in imported_as(own, short))))
    found = [(name, mentions(own, name, tests)) for name in names]
    if any(places is None for _, places in found):
        return []
    return [p for name, places in found for p in places or () if _may_mean(p.module, name, class_, universe)]


def is_another(name: str, module: str, class_: Symbol, universe: Universe) -> bool:
    """Whether a name of a module means a class of the backend that has nothing of ``class_``."""
    found = _meant(name, module, universe)
    own = universe.tree_of(class_.module)
    if found is None or found.kind != "class" or universe.tree_of(found.module) is not own:
        return False
    return class_.name not in {each.name for each in universe.lineage(found).classes}


def _may_mean(module: str, name: str, class_: Symbol, universe: Universe) -> bool:
    """Whether a name means a class in a module: the last part of its own does if nothing else is seen."""
    found = _meant(name, module, universe)
    return name == _short(class_) if found is None or found.kind != "class" else found.name == class_.name


def _meant(name: str, module: str, universe: Universe) -> Symbol | None:
    """Return what a module, or the functions in it that all import the same, mean by a name."""
    found = universe.local(module, name)
    tree = parsed(universe.source(module)) if found is None else None
    sources = set(imported_within(universe, module, tree, name)) if tree is not None else set[str]()
    return universe.resolve(sources.pop()) if len(sources) == 1 else found


def _short(class_: Symbol) -> str:
    return class_.qualname.rpartition(".")[2]
