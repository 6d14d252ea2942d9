"""Fields that the backend reads, as far as upstream declares what they hold."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from syncbot.api.model import Attribute
from syncbot.api.symbols import Symbol
from syncbot.api.universe import Universe
from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.context import Context
from syncbot.contracts.grounds import Ground
from syncbot.contracts.model import Contract, Finding
from syncbot.contracts.registry import finder, judge


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldTypeContract(Contract):
    """A read of the field ``name`` of an object of ``receiver``."""

    receiver: str
    name: str


@finder(ast.Attribute)
def find_reads(node: ast.Attribute, context: Context) -> Iterator[FieldTypeContract]:
    """Reads of annotated fields of upstream classes."""
    base = context.infer(node.value) if isinstance(node.ctx, ast.Load) else None
    if base is None or not base.instance:
        return
    field = _declared(context.universe, base.symbol, node.attr)
    if field is not None and context.is_upstream(field[0].module):
        yield FieldTypeContract(
            symbol=f"{field[0].name}.{node.attr}",
            receiver=base.symbol.name,
            name=node.attr,
            place=context.place(node),
        )


@judge(FieldTypeContract)
def judge_field_type(contract: FieldTypeContract, pair: Comparison) -> Iterator[Finding]:
    """The field is declared to hold something else."""
    old_class, new_class = pair.old.resolve(contract.receiver), pair.now(contract.receiver)
    if old_class is None or new_class is None:
        return
    before = _declared(pair.old, old_class, contract.name)
    after = _declared(pair.new, new_class, contract.name)
    if before is None or after is None:
        return
    was, now = before[1].annotation, after[1].annotation
    if pair.other_type((before[0].module, was), (after[0].module, now)) in ("type", "elements"):
        symbol = f"{after[0].name}.{contract.name}"
        reason = f"{symbol} was declared as {was} and is now declared as {now}"
        yield Finding(
            contract, ChangeKind.FIELD_TYPE_CHANGED, symbol, Ground.DECLARED, reason, subject=contract.name
        )


def _declared(universe: Universe, owner: Symbol, name: str) -> tuple[Symbol, Attribute] | None:
    """The class that declares a field, and its only annotated declaration there."""
    member = universe.member(owner, name)
    declared = [a for a in member.attributes if a.annotation] if member is not None else []
    return (member.owner, declared[0]) if member is not None and len(declared) == 1 else None
