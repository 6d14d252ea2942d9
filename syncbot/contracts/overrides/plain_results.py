"""Texts and numbers that an override still gives where upstream gives an object of a class now."""

from __future__ import annotations

import ast

from syncbot.api.every_node import every_node
from syncbot.api.model import Function
from syncbot.api.symbols import Symbol
from syncbot.api.universe import Universe
from syncbot.contracts.function_sources import function_node

_PLAIN = {"str", "int", "float", "bool", "bytes"}
# What derives from these may be, or stand for, a text or number.
_LIKE_PLAIN = _PLAIN | {"StrEnum", "IntEnum", "IntFlag", "Protocol", "UserString", "NDArray"}


def gives_plain(
    ours: Function, old: Function, new: Function, module: str, own: Symbol | None, universe: Universe
) -> bool:
    """Whether ours, of the class ``own``, gives what upstream's ``old`` function gave, a text or number, and
    ``new``, of a module of the new upstream, is declared to give an object of a class that has nothing of
    those."""
    kind = (old.annotation or "").strip("'\"")
    if kind not in _PLAIN or not (_declares(ours, kind) or _writes(ours, own, kind, universe)):
        return False
    class_ = universe.annotation_class(module, new.annotation)
    if class_ is None or class_.kind != "class" or universe.tree_of(class_.module) is None:
        return False
    lineage = universe.lineage(class_)
    bodies = [one.class_ for one in lineage.classes]
    written = [*lineage.external, *(base for body in bodies if body is not None for base in body.bases)]
    bases = {base.partition("[")[0].rpartition(".")[2] for base in written}
    return bases.isdisjoint(_LIKE_PLAIN)


def _declares(ours: Function, kind: str) -> bool:
    return ours.annotation is not None and ours.annotation.strip("'\"") == kind


def _writes(ours: Function, own: Symbol | None, kind: str, universe: Universe) -> bool:
    """Whether a function without an annotation returns nothing but constants of a kind."""
    member = universe.member(own, ours.name) if own is not None and ours.annotation is None else None
    if member is None or ours not in member.functions:
        return False
    node = function_node(universe, member.owner.module, ours, member.owner.qualname)
    given = [n.value for n in every_node(node) if isinstance(n, ast.Return)] if node is not None else []
    return bool(given) and all(isinstance(v, ast.Constant) and type(v.value).__name__ == kind for v in given)
