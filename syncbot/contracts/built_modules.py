"""Modules without a file that upstream itself imports all the same: whoever builds it may make them."""

from __future__ import annotations

from syncbot.api.model import Import
from syncbot.api.statement_parts import type_checking
from syncbot.api.tree import ModuleTree
from syncbot.contracts.overrides.upstream_tests import is_test


def importer(module: str, tree: ModuleTree) -> str | None:
    """The first module of a tree that cannot be loaded without a module that the tree has no file of."""
    if tree.exists(module):
        return None
    return next((m for m in tree.mentioning(tree.modules, module) if _needs(m, module, tree)), None)


def _needs(importing: str, module: str, tree: ModuleTree) -> bool:
    if is_test(importing):
        return False
    table = tree.table(importing)
    items = table.imports if table is not None else ()
    return any(_is_sure(item) and f"{item.module}.".startswith(f"{module}.") for item in items)


def _is_sure(item: Import) -> bool:
    """Whether an import is made when its module is loaded, and nothing there goes on without it."""
    return not (item.level or item.scope or type_checking(item.guards)) and not any(
        guard.startswith(("try ", "except ")) for guard in item.guards
    )
