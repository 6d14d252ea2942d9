"""Fields of upstream's objects that the backend sets, where the objects are not changed any more: their class
became a frozen one, or a named tuple."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from syncbot.contracts.attributes.frozen_classes import refuses_changes
from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.conditions.caught_errors import catches_attribute_error
from syncbot.contracts.context import Context
from syncbot.contracts.grounds import Ground
from syncbot.contracts.model import Contract, Finding
from syncbot.contracts.registry import finder, judge

_ERRORS = ("AttributeError", "FrozenInstanceError", "TypeError", "ValidationError")


@dataclass(frozen=True, slots=True, kw_only=True)
class FrozenObjectContract(Contract):
    """The field ``name`` of an object of ``receiver`` is set."""

    receiver: str
    name: str


@finder(ast.Attribute)
def find_set_fields(node: ast.Attribute, context: Context) -> Iterator[FrozenObjectContract]:
    """``x.field = …``, ``x.field += …`` and ``del x.field`` of a field that an upstream class declares."""
    base = context.infer(node.value) if not isinstance(node.ctx, ast.Load) else None
    if base is None or not base.instance:
        return
    member = context.universe.member(base.symbol, node.attr, base.skip)
    if member is None or not member.attributes or not context.is_upstream(member.owner.module):
        return
    if not catches_attribute_error(context.parents, node, _ERRORS):
        yield FrozenObjectContract(
            symbol=member.symbol, receiver=base.symbol.name, name=node.attr, place=context.place(node)
        )


@judge(FrozenObjectContract)
def judge_set_field(contract: FrozenObjectContract, pair: Comparison) -> Iterator[Finding]:
    """The objects refuse it now, and did not before."""
    before, after = pair.old.resolve(contract.receiver), pair.now(contract.receiver)
    if before is None or after is None or refuses_changes(pair.old, before, contract.name):
        return
    what = refuses_changes(pair.new, after, contract.name)
    if what is not None:
        symbol = f"{after.name}.{contract.name}"
        reason = f"{symbol} is a field of {what} now: setting it fails"
        yield Finding(
            contract, ChangeKind.ATTRIBUTE_READ_ONLY, symbol, Ground.OBJECT_FROZEN, reason,
            subject=contract.name,
        )  # fmt: skip
