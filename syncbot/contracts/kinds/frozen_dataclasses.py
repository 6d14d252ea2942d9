"""Dataclasses of the backend that derive from upstream ones: both are frozen, or neither.

Source: https://docs.python.org/3/library/dataclasses.html#dataclasses.dataclass, ``frozen``.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from syncbot.api.symbols import Symbol
from syncbot.contracts.attributes.frozen_classes import is_frozen
from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.context import Context
from syncbot.contracts.grounds import Ground
from syncbot.contracts.kinds.subclasses import first_upstream
from syncbot.contracts.model import Contract, Finding
from syncbot.contracts.registry import finder, judge


@dataclass(frozen=True, slots=True, kw_only=True)
class DataclassContract(Contract):
    """A dataclass that derives from ``symbol``, a dataclass of upstream."""

    receiver: str
    frozen: bool


@finder(ast.ClassDef)
def find_dataclasses(node: ast.ClassDef, context: Context) -> Iterator[DataclassContract]:
    """Dataclasses whose nearest upstream class is one as well."""
    ours = is_frozen([ast.unparse(decorator) for decorator in node.decorator_list])
    own = context.own_class(node.name) if ours is not None else None
    base = first_upstream(own, context.universe, context.upstream) if own is not None else None
    if own is None or ours is None or base is None or _frozen(base) is None:
        return
    yield DataclassContract(symbol=base.name, receiver=own.name, frozen=ours, place=context.place(node))


def _frozen(symbol: Symbol) -> bool | None:
    return is_frozen(symbol.class_.decorators) if symbol.class_ is not None else None


@judge(DataclassContract)
def judge_dataclass(contract: DataclassContract, pair: Comparison) -> Iterator[Finding]:
    """The base became frozen, or is no more: Python refuses to make a class of the other sort from it."""
    before, after = pair.old.resolve(contract.symbol), pair.now(contract.symbol)
    if before is None or after is None or _frozen(before) is not contract.frozen:
        return
    now = _frozen(after)
    if now is None or now is contract.frozen:
        return
    told = "is now a frozen dataclass, this one is not" if now else "is not frozen any more, this one is"
    reason = f"{contract.symbol} {told}: Python lets neither derive from the other"
    kind, ground = ChangeKind.DATACLASS_FROZEN, Ground.CLASS_CANNOT_BE_MADE
    yield Finding(contract, kind, contract.symbol, ground, reason)
