"""Loops over what upstream's functions return that take each element apart."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from syncbot.api.expressions import expression
from syncbot.contracts.calls.results import tuple_length
from syncbot.contracts.calls.targets import CallContract, Target, reached_in
from syncbot.contracts.calls.uses_of_names import taker
from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.context import Context
from syncbot.contracts.grounds import Ground
from syncbot.contracts.inference.declared_types import Declared, element
from syncbot.contracts.kinds.calls import find_calls
from syncbot.contracts.model import Contract, Finding
from syncbot.contracts.registry import finder, judge


@dataclass(frozen=True, slots=True, kw_only=True)
class UnpackedElementContract(Contract):
    """Each element of what ``call`` returns is unpacked into so many ``targets``."""

    call: CallContract
    targets: int


@finder(ast.Call)
def find_unpacked(node: ast.Call, context: Context) -> Iterator[UnpackedElementContract]:
    """``for a, b in f()``, in statements and comprehensions."""
    series, loop = taker(node, context.parents)
    if not isinstance(loop, ast.For | ast.AsyncFor | ast.comprehension) or loop.iter is not series:
        return
    targets = loop.target.elts if isinstance(loop.target, ast.Tuple | ast.List) else []
    if targets and not any(isinstance(target, ast.Starred) for target in targets):
        for call in find_calls(node, context):
            yield UnpackedElementContract(
                symbol=call.symbol, call=call, targets=len(targets), place=call.place
            )


@judge(UnpackedElementContract)
def judge_unpacked(contract: UnpackedElementContract, pair: Comparison) -> Iterator[Finding]:
    """The elements are tuples of another length now."""
    before, after = reached_in(contract.call, pair)
    if before is None or after is None:
        return
    was, now = _length(before), _length(after)
    if was == contract.targets and now is not None and now != was:
        reason = f"{after.symbol}() returned elements of {was} values each, and now returns them of {now}"
        kind, ground = ChangeKind.RETURN_SHAPE_CHANGED, Ground.WRONG_LENGTH
        yield Finding(contract, kind, after.symbol, ground, reason)


def _length(target: Target) -> int | None:
    """The length of the tuples in the series that a function is declared to return."""
    annotation = target.functions[-1].annotation if target.functions else None
    written = expression(annotation) if annotation is not None else None
    each = element(Declared(target.module, written)) if written is not None else None
    return tuple_length(each.type) if each is not None else None
