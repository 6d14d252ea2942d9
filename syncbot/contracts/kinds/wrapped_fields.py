"""Fields of upstream's objects whose value became an object of a class of upstream's, such as a buffer around
a tensor: what the backend does with the value is asked of that class."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from syncbot.api.symbols import Symbol
from syncbot.contracts.attributes.asked_fields import asked_field
from syncbot.contracts.attributes.asked_of_values import lacking, surely_lacks
from syncbot.contracts.attributes.doubts import put_there
from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.context import Context
from syncbot.contracts.grounds import Ground
from syncbot.contracts.inference.values import Value
from syncbot.contracts.model import Contract, Finding
from syncbot.contracts.registry import finder, judge


@dataclass(frozen=True, slots=True, kw_only=True)
class WrappedFieldContract(Contract):
    """The field ``name`` of an object of ``receiver``, whose value has to have the attribute ``asked``."""

    receiver: str
    name: str
    asked: str


@finder(ast.Attribute)
def find_fields(node: ast.Attribute, context: Context) -> Iterator[WrappedFieldContract]:
    """Fields that only upstream assigns, with a value of no known class, and that more is asked of."""
    field = asked_field(node, context)
    if field is not None and context.infer(node) is None:
        yield WrappedFieldContract(
            symbol=field.member.symbol,
            receiver=field.receiver.symbol.name,
            name=node.attr,
            asked=field.asked,
            place=context.place(node),
        )


@judge(WrappedFieldContract)
def judge_field(contract: WrappedFieldContract, pair: Comparison) -> Iterator[Finding]:
    """The value is an object of a class now that does not have what is asked."""
    old_class, new_class = pair.old.resolve(contract.receiver), pair.now(contract.receiver)
    if old_class is None or new_class is None:
        return
    before = pair.old.member(old_class, contract.name)
    after = pair.new.member(new_class, contract.name)
    if before is None or after is None or not pair.is_upstream(after.owner.module):
        return
    # Of several values one may be what the value was before.
    if len({a.value for a in after.attributes if a.value != "None"}) != 1:
        return
    was, now = pair.in_old.member(before), pair.in_new.member(after)
    made = _class(now)
    if made is None or was is not None or not surely_lacks(pair.new, made, contract.asked):
        return
    if not pair.is_upstream(made.module) or put_there(contract.name, new_class, pair):
        return
    reason = f"{after.symbol} is now an object of {made.name}, which {lacking(contract.asked)}"
    yield Finding(
        contract, ChangeKind.FIELD_TYPE_CHANGED, after.symbol, Ground.RESULT_OF_OTHER_KIND, reason,
        subject=contract.name,
    )  # fmt: skip


def _class(value: Value | None) -> Symbol | None:
    known = value is not None and value.instance and value.symbol.kind == "class"
    return value.symbol if known and value is not None else None
