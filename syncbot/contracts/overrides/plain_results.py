"""Texts and numbers that an override still gives where upstream gives an object of a class now."""

from __future__ import annotations

import ast

from syncbot.api.expressions import expression
from syncbot.api.model import Function
from syncbot.api.universe import Universe

_PLAIN = {"str", "int", "float", "bool", "bytes"}
# What derives from these may be, or stand for, a text or number.
_LIKE_PLAIN = _PLAIN | {"StrEnum", "IntEnum", "IntFlag", "Protocol", "UserString", "NDArray"}


def gives_plain(ours: Function, old: Function, new: Function, module: str, universe: Universe) -> bool:
    """Whether ours gives what upstream's ``old`` function gave, a text or number, and ``new``, of a module of
    the new upstream, is declared to give an object of a class that has nothing of those."""
    kind = (old.annotation or "").strip("'\"")
    if kind not in _PLAIN or not (_gives_constant(ours, kind) or _declares(ours, kind)):
        return False
    class_ = universe.annotation_class(module, new.annotation)
    if class_ is None or class_.kind != "class" or universe.tree_of(class_.module) is None:
        return False
    bases = {base.partition("[")[0].rpartition(".")[2] for base in universe.lineage(class_).external}
    return bases.isdisjoint(_LIKE_PLAIN)


def _declares(ours: Function, kind: str) -> bool:
    return ours.annotation is not None and ours.annotation.strip("'\"") == kind


def _gives_constant(ours: Function, kind: str) -> bool:
    """Whether all that a function without another annotation returns is one constant."""
    made = expression(ours.result) if ours.result and ours.annotation is None else None
    return isinstance(made, ast.Constant) and type(made.value).__name__ == kind
