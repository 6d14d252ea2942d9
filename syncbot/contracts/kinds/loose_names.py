"""Attributes of objects whose class cannot be told, by names that only upstream gives a meaning to."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.conditions.guards import tests_for
from syncbot.contracts.context import Context
from syncbot.contracts.grounds import Ground
from syncbot.contracts.model import Contract, Finding
from syncbot.contracts.registry import finder, judge

#: Shorter names, or names of one word, may come from anywhere.
MINIMUM_LENGTH = 9


@dataclass(frozen=True, slots=True, kw_only=True)
class LooseNameContract(Contract):
    """``….name`` on a receiver of unknown class; ``symbol`` is the name itself."""

    tolerant: bool = False


@finder(ast.Attribute)
def find_loose_names(node: ast.Attribute, context: Context) -> Iterator[LooseNameContract]:
    """Reads of telling names on receivers that are unknown, or whose known class does not define them."""
    name = node.attr
    if not is_telling(name) or not isinstance(node.ctx, ast.Load) or name in context.own_names:
        return
    base = context.infer(node.value)
    if base is not None and (not base.instance or context.universe.member(base.symbol, name, base.skip)):
        return
    if base is None and _foreign(node.value, context):
        return
    yield LooseNameContract(symbol=name, tolerant=tests_for(context.guards, name), place=context.place(node))


def is_telling(name: str) -> bool:
    """Whether an attribute of that name hardly comes from anywhere else."""
    return len(name) >= MINIMUM_LENGTH and "_" in name.strip("_") and not name.startswith("__")


def _foreign(receiver: ast.expr, context: Context) -> bool:
    """Whether the receiver begins with something imported from neither the backend nor upstream."""
    while isinstance(receiver, ast.Attribute | ast.Call | ast.Subscript):
        receiver = receiver.func if isinstance(receiver, ast.Call) else receiver.value
    if not isinstance(receiver, ast.Name):
        return False
    found = context.universe.local(context.file.module, receiver.id)
    return found is not None and context.universe.tree_of(found.module) is None


@judge(LooseNameContract)
def judge_loose_name(contract: LooseNameContract, pair: Comparison) -> Iterator[Finding]:
    """The name was defined upstream and is defined nowhere now, or in less than half as many places."""
    if not pair.vanished_name(contract.symbol):
        return
    homes = pair.old_names.homes((*pair.changed, *pair.removed), contract.symbol)
    mentioning = pair.new_tree.mentioning(pair.new_tree.modules, contract.symbol)
    left = pair.new_names.homes(mentioning, contract.symbol)
    fewer = "few modules upstream still define:" if left else "upstream no longer defines"
    reason = f"{fewer} {contract.symbol} (before: {', '.join(homes[:2])})"
    if contract.tolerant:
        reason += ": the test for it here will fail silently"
    yield Finding(
        contract, ChangeKind.NAME_VANISHED, contract.symbol, Ground.UNKNOWN_RECEIVER, reason,
        subject=contract.symbol,
    )  # fmt: skip
