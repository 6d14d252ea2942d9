"""Names of upstream modules that the backend replaces: who imported one before keeps the original."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from syncbot.api.import_closure import closure, runs, top_level_imports
from syncbot.api.tree import ModuleTree
from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.context import Context
from syncbot.contracts.grounds import Ground
from syncbot.contracts.kinds.patches import PatchContract, find_assignments, find_setattr
from syncbot.contracts.model import Contract, Finding
from syncbot.contracts.registry import finder, judge


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlyImportContract(Contract):
    """The name ``name`` of ``module`` is replaced: who imported it before keeps the old one, as the modules
    ``loaded`` and their imports do."""

    module: str
    name: str
    loaded: tuple[str, ...]


@finder(ast.Assign)
def find_replaced(node: ast.Assign, context: Context) -> Iterator[EarlyImportContract]:
    """``module.name = …``."""
    for patch in find_assignments(node, context):
        yield from _of_module(patch, context)


@finder(ast.Call, words=("setattr",))
def find_replaced_by_name(node: ast.Call, context: Context) -> Iterator[EarlyImportContract]:
    """``setattr(module, "name", …)``."""
    for patch in find_setattr(node, context):
        yield from _of_module(patch, context)


def _of_module(patch: PatchContract, context: Context) -> Iterator[EarlyImportContract]:
    owner = context.universe.resolve(patch.owner)
    if owner is not None and owner.kind == "module":
        yield EarlyImportContract(
            symbol=patch.symbol,
            module=owner.module,
            name=patch.name,
            loaded=tuple(sorted({m for m in _imported(context) if context.is_upstream(m)})),
            place=patch.place,
        )


def _imported(context: Context) -> Iterator[str]:
    own = context.universe.tree_of(context.file.module)
    return top_level_imports(own, context.file.module) if own is not None else iter(())


@judge(EarlyImportContract)
def judge_early_import(contract: EarlyImportContract, pair: Comparison) -> Iterator[Finding]:
    """A module upstream begins to import the name when it is imported itself."""
    target = pair.now(contract.module)
    if target is None or target.kind != "module":
        return
    begin = [
        module
        for module in pair.new_tree.mentioning(pair.changed, contract.name)
        if module != target.module
        and _imports(pair.new_tree, module, target.module, contract.name)
        and not _imports(pair.old_tree, module, contract.module, contract.name)
    ]
    loaded = closure(pair.new_tree, (*contract.loaded, target.module)) if begin else frozenset()
    for module in (m for m in begin if m in loaded):
        reason = (
            f"{module} now imports {contract.name} from {target.module}: "
            "as that happens before the name is replaced here, it keeps the original"
        )
        yield Finding(
            contract, ChangeKind.NAME_IMPORTED_EARLY, contract.symbol, Ground.IMPORTED_BEFORE, reason,
            subject=module,
        )  # fmt: skip


def _imports(tree: ModuleTree, module: str, source: str, name: str) -> bool:
    """Whether a module imports a name from another one when it is imported itself."""
    table = tree.table(module)
    return table is not None and any(
        bound.name == name and tree.absolute(module, bound.level, bound.module) == source
        for bound in table.imports
        if runs(bound)
    )
