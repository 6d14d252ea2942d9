"""Modules that their package hides: it binds their name to what it imports from them."""

from __future__ import annotations

from syncbot.api.symbols import Symbol
from syncbot.api.tree import ModuleTree
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.model import Place


def newly_hidden(module: str, old: Symbol, new: Symbol, place: Place, pair: Comparison) -> bool:
    """Whether a name that led to a module leads to a function or class of that module now, where the code
    at a place reaches the module by its name alone."""
    if old.kind != "module" or new.kind not in ("function", "class") or old.name != module:
        return False
    if not pair.new_tree.has(module) or not _binds_over(module, pair.new_tree):
        return False
    by_string = pair.own_tree.mentioning([place.module], f'"{module}"', f"'{module}'", "sys.modules")
    return not by_string and _reaches(module, place, pair.own_tree)


def _binds_over(module: str, tree: ModuleTree) -> bool:
    """Whether a package imports from its module something of the same name: that statement loads the module,
    so that no later import can put it in its place again."""
    package, _, name = module.rpartition(".")
    table = tree.table_for(package, name)
    return any(
        item.local == name
        and item.name not in (None, "*")
        and not (item.scope or item.guards)
        and tree.absolute(package, item.level, item.module) == module
        for item in (table.imports if table is not None else ())
    )


def _reaches(module: str, place: Place, own: ModuleTree) -> bool:
    """Whether a module of the backend imports another one so that it is an attribute of its package."""
    table = own.table(place.module)
    for item in table.imports if table is not None else ():
        if item.level:
            continue
        if item.name is not None and f"{item.module}.{item.name}" == module:
            return True
        if item.name is None and (item.module == module or f"{module}.".startswith(f"{item.local}.")):
            return True
    return False
