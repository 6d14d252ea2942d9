"""Dictionaries that upstream's modules spell out and that the backend subscripts by a written key."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from syncbot.api.every_node import every_node
from syncbot.api.expressions import dotted
from syncbot.api.model import Attribute
from syncbot.api.symbols import Symbol
from syncbot.api.syntax import parsed
from syncbot.api.tree import ModuleTree
from syncbot.api.universe import Universe
from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.conditions.caught_errors import catches_attribute_error
from syncbot.contracts.conditions.guards import asks_for_key
from syncbot.contracts.context import Context
from syncbot.contracts.grounds import Ground
from syncbot.contracts.kinds.containers import named_variable
from syncbot.contracts.model import Contract, Finding
from syncbot.contracts.registry import finder, judge

# Methods of dictionaries that only look.
_READING = ("get", "items", "keys", "values", "copy")
_LITERALS = (ast.Constant, ast.Attribute)


@dataclass(frozen=True, slots=True, kw_only=True)
class TableKeyContract(Contract):
    """``symbol[key]``, the text of the key as it is written."""

    key: str


@finder(ast.Subscript)
def find_keys(node: ast.Subscript, context: Context) -> Iterator[TableKeyContract]:
    """``TABLE["key"]`` of a dictionary that a module of upstream's spells out."""
    if not isinstance(node.ctx, ast.Load) or not isinstance(node.slice, ast.Constant):
        return
    name = dotted(node.value)
    found = named_variable(name, context) if name is not None else None
    if found is None or found.kind != "variable" or not context.is_upstream(found.module):
        return
    last = found.nodes[-1] if found.nodes else None
    key = ast.unparse(node.slice)
    tried = catches_attribute_error(context.parents, node, ("KeyError", "LookupError"))
    tested = tried or asks_for_key(context.guards, key)
    if isinstance(last, Attribute) and (last.value or "").startswith("{") and not tested:
        yield TableKeyContract(symbol=found.name, key=key, place=context.place(node))


@judge(TableKeyContract)
def judge_key(contract: TableKeyContract, pair: Comparison) -> Iterator[Finding]:
    """The dictionary has no such key any more, and nothing is seen to put it there."""
    before, after = pair.old.resolve(contract.symbol), pair.now(contract.symbol)
    if before is None or after is None or after.kind != "variable":
        return
    now = _keys(pair.new, after)
    if now is None or contract.key in now or contract.key not in (_keys(pair.old, before) or ()):
        return
    if any(_fills(tree, after) for tree in (pair.new_tree, pair.own_tree)):
        return
    yield Finding(
        contract, ChangeKind.KEY_REMOVED, f"{after.name}[{contract.key}]", Ground.TYPE_LACKS_METHOD,
        f"{after.name} has no key {contract.key} any more", subject=contract.key,
    )  # fmt: skip


def _keys(universe: Universe, table: Symbol) -> frozenset[str] | None:
    """The keys of a dictionary that its module spells out; None where more may be there."""
    tree = parsed(universe.source(table.module)) if "." not in table.qualname else None
    name, literals = table.qualname, list[ast.Dict]()
    for statement in tree.body if tree is not None else ():
        match statement:
            case (
                ast.Assign(targets=[ast.Name(id=target)], value=value)
                | ast.AnnAssign(target=ast.Name(id=target), value=value)
            ) if target == name:
                if not isinstance(value, ast.Dict):
                    return None
                literals.append(value)
    if tree is None or len(literals) != 1 or _is_changed(tree, name):
        return None
    keys = [key for key in literals[0].keys if isinstance(key, _LITERALS)]
    return frozenset(map(ast.unparse, keys)) if len(keys) == len(literals[0].keys) else None


def _fills(tree: ModuleTree, table: Symbol) -> bool:
    """Whether another module of a tree puts keys into what bears the name of a table."""
    name = table.qualname
    words = [f"{name}{how}" for how in ("[", ".update(", ".setdefault(")]
    put = re.compile(rf"\b{re.escape(name)}(?:\[[^\]\n]*\]\s*=[^=]|\.update\(|\.setdefault\()".encode())
    modules = [module for module in tree.mentioning(tree.modules, *words) if module != table.module]
    tree.note(modules)
    return any(put.search(tree.source(module) or b"") for module in modules)


def _is_changed(tree: ast.Module, name: str) -> bool:
    """Whether a module does more with a variable than to look into it."""
    for node in every_node(tree):
        match node:
            case ast.Subscript(value=ast.Name(id=table), ctx=ast.Store() | ast.Del()) if table == name:
                return True
            case ast.Attribute(value=ast.Name(id=table), attr=attr) if table == name and attr not in _READING:
                return True
            case ast.Call(args=args) if any(isinstance(a, ast.Name) and a.id == name for a in args):
                return True
    return False
