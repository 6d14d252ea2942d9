"""Attributes of objects that nothing but an upstream ``__getattr__`` gives them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from syncbot.contracts.attributes.doubts import put_there
from syncbot.contracts.changes import ChangeKind, MemberDetails
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.conditions.caught_errors import catches_attribute_error
from syncbot.contracts.conditions.guards import tests_for
from syncbot.contracts.context import Context
from syncbot.contracts.grounds import Ground
from syncbot.contracts.model import Contract, Finding
from syncbot.contracts.registry import finder, judge


@dataclass(frozen=True, slots=True, kw_only=True)
class AnsweredAttributeContract(Contract):
    """``name`` of an object of ``receiver``, for which ``symbol``, a ``__getattr__``, answers; ``tolerant``:
    it may be missing."""

    receiver: str
    name: str
    tolerant: bool


@finder(ast.Attribute)
def find_answered(node: ast.Attribute, context: Context) -> Iterator[AnsweredAttributeContract]:
    """Reads of what no class of an object defines, all of which are seen."""
    base = context.infer(node.value) if isinstance(node.ctx, ast.Load) else None
    if base is None or not base.instance or node.attr.startswith("__"):
        return
    # Nearly all attributes are seen, and others have asked for them.
    if context.universe.member(base.symbol, node.attr, base.skip) is not None:
        return
    answers = context.universe.member(base.symbol, "__getattr__", base.skip)
    if answers is None or not context.is_upstream(answers.owner.module):
        return
    if not context.universe.lineage(base.symbol).external:
        yield AnsweredAttributeContract(
            symbol=answers.symbol,
            receiver=base.symbol.name,
            name=node.attr,
            tolerant=tests_for(context.guards, node.attr) or catches_attribute_error(context.parents, node),
            place=context.place(node),
        )


@judge(AnsweredAttributeContract)
def judge_answered(contract: AnsweredAttributeContract, pair: Comparison) -> Iterator[Finding]:
    """Nothing answers for the attribute any more, and nothing has it."""
    now = pair.now(contract.receiver)
    if now is None or now.kind != "class" or pair.new.is_open(now):
        return
    if pair.new.member(now, contract.name) is not None or put_there(contract.name, now, pair):
        return
    # One change for all classes of the objects: no one of them is named.
    reason = f"{contract.symbol} no longer exists, and nothing else gives these objects {contract.name}"
    ground = Ground.TESTED_FOR if contract.tolerant else Ground.MEMBER_GONE
    yield Finding(
        contract, ChangeKind.ATTRIBUTE_REMOVED, contract.symbol, ground, reason, subject=contract.name,
        details=MemberDetails(name=contract.name),
    )  # fmt: skip
