"""Calls that meet what is put into a module that only imports a function: all others keep their own name."""

from __future__ import annotations

from syncbot.api.model import Call
from syncbot.api.tree import ModuleTree
from syncbot.api.universe import Universe


def goes_through(binding: str, module: str, call: Call, tree: ModuleTree, universe: Universe) -> bool:
    """Whether a call in a module reaches a function by the name that another module, ``binding``, imports it
    under; also where that cannot be told."""
    receiver, _, _ = call.callee.rpartition(".")
    if module == binding or "?" in call.callee:
        return True
    if receiver:
        owner = universe.local(module, receiver)
        return owner is None or owner.kind != "module" or owner.name == binding
    table = tree.table(module)
    named = [i for i in table.imports if i.local == call.callee] if table is not None else []
    if named:
        return any(tree.absolute(module, i.level, i.module) == binding for i in named)
    found = universe.local(module, call.callee)
    return found is None or found.module != module
