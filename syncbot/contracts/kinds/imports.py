"""Imports of upstream modules and names, wherever they stand."""

from __future__ import annotations

import ast
import symtable
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import decode_source

from syncbot.api.expressions import dotted, expression
from syncbot.api.lazy_names import answers
from syncbot.api.model import Attribute
from syncbot.api.newer_syntax import older
from syncbot.api.statement_parts import imported, type_checking
from syncbot.api.symbols import Symbol
from syncbot.api.syntax import parsed
from syncbot.api.tree import ModuleTree
from syncbot.api.universe import Universe
from syncbot.contracts.built_modules import importer
from syncbot.contracts.changes import ChangeKind, NameDetails
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.conditions.guards import only_missing_modules, tolerates_import
from syncbot.contracts.conditions.tried_imports import fails_as_well, is_raised_again
from syncbot.contracts.conditions.unhelped_imports import leaves_a_gap
from syncbot.contracts.context import Context
from syncbot.contracts.deprecations import newly_deprecated
from syncbot.contracts.grounds import Ground
from syncbot.contracts.model import Contract, Finding
from syncbot.contracts.registry import audit, finder, judge
from syncbot.contracts.spelled_names import is_gone, is_there


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportContract(Contract):
    """``import a.b`` or ``from a.b import c``; ``symbol`` is ``a.b`` or ``a.b.c``. A ``star`` gives the name
    only where the module exports it."""

    from_module: str
    name: str | None
    star: bool = False


@finder(ast.Import, ast.ImportFrom)
def find_imports(node: ast.Import | ast.ImportFrom, context: Context) -> Iterator[ImportContract]:
    """One contract for each upstream name that an import statement names."""
    for item in imported(node, ""):
        if item.level or not context.is_upstream(item.module):
            continue
        if item.name == "*":
            yield from _starred(item.module, node, context)
            continue
        symbol = item.module if item.name is None else f"{item.module}.{item.name}"
        yield ImportContract(
            symbol=symbol,
            from_module=item.module,
            name=item.name,
            place=context.place(node),
        )


def _starred(module: str, node: ast.AST, context: Context) -> Iterator[ImportContract]:
    """The names that a star import gives this file and that the file reads."""
    for name in sorted(_global_reads(context.file.text)):
        here = context.universe.local(context.file.module, name)
        there = context.universe.resolve(f"{module}.{name}")
        if here is not None and there is not None and here.name == there.name:
            yield ImportContract(
                symbol=f"{module}.{name}", from_module=module, name=name, star=True, place=context.place(node)
            )


def _global_reads(source: bytes) -> set[str]:
    """The names that a module's text reads and that no scope around the place binds."""
    try:
        tables = [_symbols(source)]
    except (SyntaxError, ValueError, RecursionError):
        return set()
    names: set[str] = set()
    # Names that the module itself binds are there without any star.
    own = {s.get_name() for s in tables[0].get_symbols() if s.is_assigned() or s.is_imported()}
    while tables:
        table = tables.pop()
        tables.extend(table.get_children())
        for symbol in table.get_symbols():
            unbound = symbol.is_global() or table.get_type() == "module"
            if symbol.is_referenced() and unbound and not (symbol.is_assigned() or symbol.is_imported()):
                names.add(symbol.get_name())
    return names - own


def _symbols(source: bytes) -> symtable.SymbolTable:
    try:
        return symtable.symtable(decode_source(source), "module", "exec")
    except SyntaxError:
        instead = older(source)
        if instead is None:
            raise
        return symtable.symtable(instead, "module", "exec")


@judge(ImportContract)
def judge_import(contract: ImportContract, pair: Comparison) -> Iterator[Finding]:
    """The imported module or name is gone, or is something else now."""
    before = pair.old.resolve(contract.symbol)
    if before is None:
        return
    after = pair.new.resolve(contract.symbol)
    hidden = not is_there(pair.old, before)
    if after is not None and (hidden or not pair.vanished(after, before)):
        if contract.star and _exports(contract, pair.old) and not _exports(contract, pair.new):
            reason = (
                f"{contract.from_module} no longer exports {contract.name}, which a star takes from it here"
            )
            details = NameDetails(old=contract.symbol)
            kind, ground = ChangeKind.SYMBOL_REMOVED, Ground.IMPORT_FAILS
            yield Finding(contract, kind, contract.symbol, ground, reason, details=details)
            return
        if _for_checkers(contract, pair.new) and not _for_checkers(contract, pair.old):
            yield _not_there(contract, after, pair)
            return
        yield from _other_kind(contract, before, after)
        yield from newly_deprecated(contract, before, after, pair)
        return
    yield _gone(contract, pair, hidden and _makes_names(contract, pair.old))


def _makes_names(contract: ImportContract, universe: Universe) -> bool:
    """Whether a function of the module itself makes the names that are asked for."""
    table = universe.table(contract.from_module)
    return table is not None and answers(table.functions, table.variables)


def _gone(contract: ImportContract, pair: Comparison, hidden: bool) -> Finding:
    """Tell that what is imported is gone, or stands elsewhere; ``hidden``: it was not seen to be there."""
    symbol, moved = contract.symbol, pair.relocation(contract.symbol)
    kind = ChangeKind.SYMBOL_REMOVED if moved is None else moved.kind
    if not pair.new_tree.exists(contract.from_module):
        home = pair.relocation(contract.from_module)
        # The name may have gone elsewhere than the rest of its module.
        apart = moved is not None and (
            home is None or moved.name not in (home.name, f"{home.name}.{contract.name}")
        )
        # A module that was divided may have left the name behind, or kept less of it.
        unlike = (
            moved is None
            and home is not None
            and contract.name is not None
            and not (pair.takes_the_place(contract.symbol, f"{home.name}.{contract.name}"))
        )
        if not apart and not unlike:
            symbol, moved = contract.from_module, home
            kind = ChangeKind.MODULE_REMOVED if moved is None else ChangeKind.MODULE_MOVED
    reason = f"{symbol} no longer exists"
    if moved is not None:
        reason += f"; it is now {moved.name}"
    elif unfit := pair.unfit(symbol):
        reason += f"; {', '.join(unfit)} does less, or leaves more to subclasses"
    # Where it is known to be elsewhere now, upstream forgot an import of the old name.
    ground, aside = _weighed(contract, pair, pair.new_tree if moved is None else None)
    if ground is Ground.IMPORT_FAILS and hidden and pair.new_tree.exists(contract.from_module):
        ground = Ground.DOUBTED
        aside = f", if {contract.from_module}, which makes names when they are asked for, had it at all"
    details = NameDetails(old=symbol, new=moved.name if moved else None)
    return Finding(contract, kind, symbol, ground, reason + aside, details=details)


def _for_checkers(contract: ImportContract, universe: Universe) -> bool:
    """Whether a module only imports the name for type checkers, and nothing else gives it."""
    tree = universe.tree_of(contract.from_module)
    if tree is None or contract.name is None or not tree.mentioning([contract.from_module], "TYPE_CHECKING"):
        return False
    # Whoever asks this of each import must not depend on all that its module says.
    table = tree.table_for(contract.from_module, contract.name)
    if table is None or table.dynamic or table.problem is not None:
        return False
    names = {n.name for several in (table.variables, table.functions, table.classes) for n in several}
    if contract.name in names:
        return False
    made = [i for i in table.imports if not i.scope and i.local == contract.name]
    starred = any(i.name == "*" and not i.scope for i in table.imports)
    return bool(made) and not starred and all(type_checking(i.guards) for i in made)


def _not_there(contract: ImportContract, after: Symbol, pair: Comparison) -> Finding:
    """Tell that what is imported is named in that module, but not when it runs."""
    reason = f"{contract.from_module} imports {contract.name} for type checkers only now; it is {after.name}"
    ground, aside = _weighed(contract, pair, None)
    details = NameDetails(old=contract.symbol, new=after.name)
    return Finding(
        contract, ChangeKind.SYMBOL_MOVED, contract.symbol, ground, reason + aside, details=details
    )


def _exports(contract: ImportContract, universe: Universe) -> bool:
    """Whether the list of exports that a module has, if it has one, holds the name."""
    table = universe.table(contract.from_module)
    return table is None or table.exports is None or contract.name in table.exports


def _weighed(contract: ImportContract, pair: Comparison, tree: ModuleTree | None) -> tuple[Ground, str]:
    """Return what speaks against a failure, around the import or in upstream's tree, and how that is said."""
    place = contract.place
    guards = place.guards
    if type_checking(guards):
        return Ground.TESTED_FOR, " (imported for type checking only)"
    # What a module lacks raises the plain error.
    plain = contract.name is not None and pair.new_tree.exists(contract.from_module)
    if tolerates_import(guards) and not (plain and only_missing_modules(guards)):
        text = parsed(pair.own_tree.source(place.module))
        if leaves_a_gap(place, text, pair.own_tree):
            return Ground.IMPORT_FAILS, " (the import error is caught, and what asks for the name then fails)"
        if not is_raised_again(place, text) and not fails_as_well(place, text, pair.new):
            return Ground.DOUBTED, " (the import error is caught)"
    if tree is not None and (still := _importer(contract, tree)) is not None:
        return Ground.DOUBTED, f", but {still} imports it as well: it may come from a build"
    return Ground.IMPORT_FAILS, ""


def _importer(contract: ImportContract, tree: ModuleTree) -> str | None:
    """The module of upstream that needs the module which is imported here and has no file."""
    gone = contract.from_module if not tree.exists(contract.from_module) else contract.symbol
    return importer(gone, tree)


@audit(ImportContract)
def audit_import(contract: ImportContract, universe: Universe) -> Iterator[str]:
    """The imported name does not exist. A package whose ``__getattr__`` may answer has no more modules for
    it: an import statement does not ask there. What is built at installation begins with ``_``."""
    guards = contract.place.guards
    if tolerates_import(guards) or type_checking(guards):
        return
    found = universe.resolve(contract.symbol)
    built = found is not None and found.qualname.startswith("_")
    if built or not is_gone(universe, found):
        return
    tree = universe.tree_of(contract.symbol)
    if tree is None or _importer(contract, tree) is None:
        yield f"{contract.symbol} does not exist"


def _other_kind(contract: ImportContract, before: Symbol, after: Symbol) -> Iterator[Finding]:
    if before.kind == "class" and after.kind == "function":
        reason = f"{contract.symbol} was a class and is now a function: isinstance and subclassing fail"
        kind, ground = ChangeKind.CLASS_BECAME_FUNCTION, Ground.CLASS_BECAME_FUNCTION
        yield Finding(contract, kind, contract.symbol, ground, reason)
    was, now = _alias(before), _alias(after)
    other = after.kind == "class" or (now is not None and now != was)
    if was is not None and "[" in was and other and not _only_wider(was, now):
        reason = f"{contract.symbol} was {was} and is now {now or 'a class of its own'}"
        kind, ground = ChangeKind.TYPE_CHANGED, Ground.OTHER_TYPE
        yield Finding(contract, kind, contract.symbol, ground, reason)


def _alias(symbol: Symbol) -> str | None:
    """The type that a module-level name stands for, None where it is no such alias."""
    node = symbol.nodes[-1] if symbol.nodes and symbol.kind == "variable" else None
    value = node.value if isinstance(node, Attribute) else None
    return value if value is not None and value[:1].isalpha() and "(" not in value else None


def _only_wider(was: str, now: str | None) -> bool:
    """Whether a ``Literal`` or ``Union`` only has more members than before."""
    before, after = _members(was), _members(now or "")
    return before is not None and after is not None and before[0] == after[0] and before[1] <= after[1]


def _members(alias: str) -> tuple[str, frozenset[str]] | None:
    node = expression(alias)
    if not isinstance(node, ast.Subscript) or dotted(node.value) is None:
        return None
    name = (dotted(node.value) or "").rpartition(".")[2]
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    return (name, frozenset(map(ast.unparse, parts))) if name in ("Literal", "Union") else None
