"""Overrides that give an object of a class of the backend where upstream's give one of theirs: upstream reads
what theirs newly has."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from syncbot.api.expressions import FunctionNode
from syncbot.api.symbols import Member, Symbol
from syncbot.contracts.attributes.asked_of_values import surely_lacks
from syncbot.contracts.attributes.left_out_readers import others_have
from syncbot.contracts.attributes.reads import reads_in
from syncbot.contracts.changes import ChangeKind, MemberDetails
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.context import Context
from syncbot.contracts.grounds import Ground
from syncbot.contracts.model import Contract, Finding
from syncbot.contracts.overrides.upstream_members import upstream_member
from syncbot.contracts.registry import finder, judge


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnResultContract(Contract):
    """The backend's override of ``symbol`` gives an object of its class ``gives``, upstream's one of
    ``declared``."""

    told_beside: ClassVar[bool] = True
    gives: str
    declared: str


@finder(ast.FunctionDef, ast.AsyncFunctionDef)
def find_results(node: FunctionNode, context: Context) -> Iterator[OwnResultContract]:
    """Overrides whose annotation names a class of the backend that does not derive from upstream's."""
    own = context.own_class() if node.returns is not None else None
    theirs = upstream_member(own, node.name, context.universe, context.upstream) if own is not None else None
    if own is None or theirs is None or not theirs.functions:
        return
    mine = _result(context.universe.member(own, node.name), context)
    their = _result(theirs, context)
    if mine is None or their is None or context.is_upstream(mine.module):
        return
    if context.is_upstream(their.module):
        kin = {class_.name for class_ in context.universe.lineage(mine).classes}
        if their.name not in kin:
            yield OwnResultContract(
                symbol=theirs.symbol, gives=mine.name, declared=their.name, place=context.place(node)
            )


def _result(member: Member | None, context: Context) -> Symbol | None:
    """The class that a method is declared to give."""
    last = member.functions[-1] if member is not None and member.functions else None
    if member is None or last is None:
        return None
    return context.universe.annotation_class(member.owner.module, last.annotation)


@judge(OwnResultContract)
def judge_result(contract: OwnResultContract, pair: Comparison) -> Iterator[Finding]:
    """Upstream's class has an attribute more, ours has not, and upstream reads it of what is declared so."""
    gives = pair.new.resolve(contract.gives)
    before, after = pair.old.resolve(contract.declared), pair.now(contract.declared)
    if gives is None or before is None or after is None or after.class_ is None:
        return
    for name in dict.fromkeys(a.name for a in after.class_.attributes):
        if pair.old.member(before, name) is not None or not surely_lacks(pair.new, gives, name):
            continue
        where = next(_readers(name, after, pair), None)
        if where is not None:
            reason = (
                f"{where} now reads {name} of {after.name}; {gives.name}, of which {contract.symbol}() gives "
                "an object here, has none"
            )
            yield Finding(
                contract, ChangeKind.ATTRIBUTE_ADDED, f"{after.name}.{name}", Ground.READ_OF_ANOTHER, reason,
                subject=name, details=MemberDetails(name=name),
            )  # fmt: skip


def _readers(name: str, class_: Symbol, pair: Comparison) -> Iterator[str]:
    """Upstream's functions that run and read an attribute of a parameter of the class, or of what nobody can
    tell, where no other class has one of that name."""
    for module in pair.new_usage.readers(pair.changed, name):
        for read in reads_in(pair.new_tree.source(module) or b"", name):
            found = pair.new.annotation_class(module, read.annotation)
            if read.of_self or pair.shadows.hide(module, read.scope):
                continue
            if found is not None:
                meant = found.name == class_.name
            else:
                meant = not read.annotation and not others_have(name, class_, set(), pair)
            if meant:
                pair.new_tree.note((module,))
                yield f"{module}.{read.scope}"
