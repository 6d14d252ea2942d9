"""Named tuples of upstream that the backend unpacks."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.context import Context
from syncbot.contracts.grounds import Ground
from syncbot.contracts.inference.named_tuples import tuple_fields
from syncbot.contracts.kinds.calls import unpacked_into
from syncbot.contracts.model import Contract, Finding
from syncbot.contracts.registry import finder, judge


@dataclass(frozen=True, slots=True, kw_only=True)
class UnpackedTupleContract(Contract):
    """An object of the named tuple ``symbol`` is unpacked into so many ``targets``."""

    targets: int


@finder(ast.Assign)
def find_unpacked_tuples(node: ast.Assign, context: Context) -> Iterator[UnpackedTupleContract]:
    """``a, b = name`` and ``a, b = object.name``."""
    targets = unpacked_into(node) if isinstance(node.value, ast.Name | ast.Attribute) else None
    value = context.infer(node.value) if targets is not None else None
    if targets is None or value is None or not value.instance or not context.is_upstream(value.symbol.module):
        return
    if tuple_fields(context.universe, value.symbol) is not None:
        yield UnpackedTupleContract(symbol=value.symbol.name, targets=targets, place=context.place(node))


@judge(UnpackedTupleContract)
def judge_unpacked_tuple(contract: UnpackedTupleContract, pair: Comparison) -> Iterator[Finding]:
    """The named tuple has another number of fields now."""
    old, new = pair.old.resolve(contract.symbol), pair.now(contract.symbol)
    if old is None or new is None or new.kind != "class":
        return
    was, now = tuple_fields(pair.old, old), tuple_fields(pair.new, new)
    if was == contract.targets and now is not None and now != was:
        reason = f"{new.name} had {was} fields and has {now} now, which do not unpack into {was}"
        yield Finding(contract, ChangeKind.RETURN_SHAPE_CHANGED, new.name, Ground.WRONG_LENGTH, reason)
