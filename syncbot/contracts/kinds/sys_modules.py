"""Upstream modules that the backend replaces as a whole: ``sys.modules["package.module"] = …``."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from syncbot.api.every_node import every_node
from syncbot.api.expressions import dotted, string
from syncbot.api.model import Import
from syncbot.api.remembered_answers import remembered
from syncbot.api.statement_parts import imported
from syncbot.api.syntax import parsed
from syncbot.api.tree import ModuleTree
from syncbot.contracts.changes import ChangeKind, NameDetails
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.context import Context
from syncbot.contracts.grounds import Ground
from syncbot.contracts.kinds.patches import PatchContract
from syncbot.contracts.model import Contract, Finding
from syncbot.contracts.registry import finder, judge


@dataclass(frozen=True, slots=True, kw_only=True)
class SysModulesContract(Contract):
    """The entry of the upstream module ``symbol`` becomes the backend's ``replacement``, if it has a name."""

    replacement: str


@finder(ast.Assign)
def find_entries(node: ast.Assign, context: Context) -> Iterator[SysModulesContract | PatchContract]:
    """Assignments to entries of ``sys.modules`` that the upstream tree has a module for; what the module has
    in the place of the functions and classes there stands in for them, as if each were assigned."""
    for target in node.targets:
        if not isinstance(target, ast.Subscript) or dotted(target.value) != "sys.modules":
            continue
        value = context.infer(node.value)
        own = value.symbol if value is not None and not value.instance else None
        for name in _keys(target.slice, context):
            tree = context.universe.tree_of(name)
            if not context.is_upstream(name) or tree is None or not tree.exists(name):
                continue
            module = own.name if own is not None and own.kind == "module" else ""
            place = context.place(target.slice)
            yield SysModulesContract(symbol=name, replacement=module, place=place)
            for each in _in_both(name, module, context) if module else ():
                yield PatchContract(
                    symbol=f"{name}.{each}",
                    owner=name,
                    name=each,
                    replacement=f"{module}.{each}",
                    place=place,
                )


def _keys(node: ast.expr, context: Context) -> Iterator[str]:
    """The texts that a key is, one after the other where a loop around goes through them."""
    match node:
        case ast.Constant(value=str(text)):
            yield text
        case ast.Name(id=name):
            for around in context.parents:
                match around:
                    case ast.For(
                        target=ast.Name(id=bound), iter=ast.Tuple(elts=several) | ast.List(elts=several)
                    ) if bound == name:
                        yield from filter(None, map(string, several))


def _in_both(theirs: str, ours: str, context: Context) -> list[str]:
    """The functions and classes that two modules define under the same name."""
    tables = [context.universe.table(module) for module in (theirs, ours)]
    named = [
        {class_.name for class_ in table.classes} | {function.name for function in table.functions}
        for table in tables
        if table is not None
    ]
    return sorted(named[0] & named[1]) if len(named) == 2 else []


@judge(SysModulesContract)
def judge_entry(contract: SysModulesContract, pair: Comparison) -> Iterator[Finding]:
    """Nobody imports that module any more; or upstream imports names that the replacement lacks."""
    name = contract.symbol
    if not pair.old_tree.exists(name):
        return
    if not pair.new_tree.exists(name):
        moved = pair.relocation(name)
        reason = f"the module {name} no longer exists, so that nothing upstream asks for this entry"
        if moved is not None:
            reason += f"; it is {moved.name} now"
        yield Finding(
            contract, ChangeKind.MODULE_ENTRY_UNUSED, name, Ground.REGISTRATION_GONE, reason,
            details=NameDetails(old=name, new=moved.name if moved is not None else None),
        )  # fmt: skip
        return
    replacement = pair.new.resolve(contract.replacement) if contract.replacement else None
    if replacement is None or replacement.kind != "module":
        return
    wanted = _imported(pair.old_tree, (*pair.changed, *pair.removed), name)
    for wish, importer in sorted(_imported(pair.new_tree, pair.changed, name).items()):
        if wish not in wanted and pair.new.attribute(replacement, wish) is None:
            pair.new_tree.note((importer,))
            reason = f"{importer} now imports {wish} from {name}, and {replacement.name} has no {wish}"
            kind, ground = ChangeKind.MODULE_NAME_MISSING, Ground.NOT_DEFINED
            yield Finding(contract, kind, name, ground, reason, subject=wish)


def _imported(tree: ModuleTree, modules: tuple[str, ...], name: str) -> dict[str, str]:
    """The names that some modules import from one, wherever they do it, each with an importer."""
    found: dict[str, str] = {}
    for module in tree.mentioning(modules, name.rpartition(".")[2]):
        source = tree.source(module) if module != name else None
        for item in _imports(source) if source is not None else ():
            if item.name not in (None, "*") and tree.absolute(module, item.level, item.module) == name:
                found.setdefault(str(item.name), module)
    return found


@remembered(1024)
def _imports(source: bytes) -> tuple[Import, ...]:
    tree = parsed(source)
    nodes = every_node(tree) if tree is not None else ()
    statements = (n for n in nodes if isinstance(n, ast.Import | ast.ImportFrom))
    return tuple(item for node in statements for item in imported(node, ""))
