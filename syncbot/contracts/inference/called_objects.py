"""Objects that are called: which method of their class that runs."""

from __future__ import annotations

from syncbot.api.symbols import Member, Symbol
from syncbot.api.universe import Universe

# https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html: calling one runs ``forward``.
_MODULES = {"torch.nn.Module", "torch.nn.modules.Module", "torch.nn.modules.module.Module"}


def called_method(universe: Universe, class_: Symbol) -> Member | None:
    """The method that runs where an object of a class is called; None where none is seen."""
    own = universe.member(class_, "__call__")
    if own is not None:
        return own
    if class_.kind != "class" or _MODULES.isdisjoint(universe.lineage(class_).external):
        return None
    return universe.member(class_, "forward")
