"""Upstream names that the backend uses and that upstream begins to call deprecated: they work still."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from syncbot.api.deprecation_notices import WORD, notices
from syncbot.api.extract import imported
from syncbot.api.symbols import Symbol
from syncbot.api.universe import Universe
from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.context import Context
from syncbot.contracts.grounds import Ground
from syncbot.contracts.model import Contract, Finding
from syncbot.contracts.registry import finder, judge


@dataclass(frozen=True, slots=True, kw_only=True)
class UseContract(Contract):
    """The use of ``symbol``; with ``receiver``, as the attribute ``name`` of that class or of its objects."""

    receiver: str = ""
    name: str = ""


@finder(ast.Attribute)
def find_members(node: ast.Attribute, context: Context) -> Iterator[UseContract]:
    """Members of upstream classes, and names of upstream modules."""
    base = context.infer(node.value)
    if base is None or base.symbol.kind not in ("class", "module"):
        return
    found = _used(context.universe, base.symbol, node.attr)
    if found is not None and context.is_upstream(found.module) and found.qualname:
        yield UseContract(
            symbol=found.name, receiver=base.symbol.name, name=node.attr, place=context.place(node)
        )


@finder(ast.ImportFrom)
def find_names(node: ast.ImportFrom, context: Context) -> Iterator[UseContract]:
    """Names that are imported from upstream modules."""
    for item in imported(node, ""):
        if item.level or item.name in (None, "*") or not context.is_upstream(item.module):
            continue
        found = context.universe.resolve(f"{item.module}.{item.name}")
        if found is not None and found.qualname:
            yield UseContract(symbol=found.name, place=context.place(node))


def _used(universe: Universe, owner: Symbol, name: str) -> Symbol | None:
    """The definition of a member, in the class that has it, or of a name of a module."""
    if owner.kind == "module":
        return universe.attribute(owner, name)
    member = universe.member(owner, name)
    return Symbol("", member.owner.module, f"{member.owner.qualname}.{name}") if member is not None else None


@judge(UseContract)
def judge_use(contract: UseContract, pair: Comparison) -> Iterator[Finding]:
    """Upstream says of the name that it is deprecated, and did not say so."""
    before, after = (_found(contract, pair.old), _found(contract, pair.new))
    if before is None or after is None or not before.qualname or not after.qualname:
        return
    if after.module not in pair.changed or not pair.new_tree.mentioning((after.module,), WORD):
        return
    pair.new_tree.note((after.module,))
    words = notices(pair.new_tree.source(after.module) or b"").get(after.qualname)
    if words is None:
        return
    pair.old_tree.note((before.module,))
    if before.qualname in notices(pair.old_tree.source(before.module) or b""):
        return
    reason = f"{contract.symbol} is deprecated now" + (f"; upstream says: {words}" if words else "")
    yield Finding(
        contract, ChangeKind.DEPRECATED, contract.symbol, Ground.NOT_MEANT, reason,
        subject=contract.name,
    )  # fmt: skip


def _found(contract: UseContract, universe: Universe) -> Symbol | None:
    if not contract.receiver:
        return universe.resolve(contract.symbol)
    owner = universe.resolve(contract.receiver)
    return _used(universe, owner, contract.name) if owner is not None else None
