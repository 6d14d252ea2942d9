"""Calls that meet what is put into a module that only imports a function: all others keep their own name."""

from __future__ import annotations

from syncbot.api.model import Call
from syncbot.api.symbols import Symbol
from syncbot.api.universe import Universe


def replaced_binding(owner: Symbol, function: Symbol) -> str:
    """The module ``owner`` where it only imports a function; empty where it defines that, or is a class."""
    return owner.name if owner.kind == "module" and function.module != owner.module else ""


def goes_through(binding: str, module: str, call: Call, universe: Universe) -> bool:
    """Whether a call in a module reaches a function by the name that another module, ``binding``, imports it
    under; also where that cannot be told."""
    found = universe.local(module, call.callee)
    return found is None or binding in found.via
