"""Objects that the backend makes of upstream's classes: one with an abstract method cannot be made."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from syncbot.contracts.attributes.class_decorators import keep_members
from syncbot.contracts.changes import ChangeKind, MemberDetails
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.conditions.caught_errors import catches_attribute_error
from syncbot.contracts.context import Context
from syncbot.contracts.grounds import Ground
from syncbot.contracts.kinds.subclasses import unimplemented
from syncbot.contracts.model import Contract, Finding
from syncbot.contracts.registry import finder, judge


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeObjectContract(Contract):
    """``symbol()``, an upstream class; ``tolerant``: the TypeError is caught."""

    tolerant: bool


@finder(ast.Call)
def find_made(node: ast.Call, context: Context) -> Iterator[MadeObjectContract]:
    """Calls of upstream classes."""
    made = context.infer(node.func) if isinstance(node.func, ast.Name | ast.Attribute) else None
    if made is None or made.instance or made.symbol.kind != "class":
        return
    # What ``__new__`` gives may be of another class.
    if context.is_upstream(made.symbol.module) and context.universe.member(made.symbol, "__new__") is None:
        tolerant = catches_attribute_error(context.parents, node, ("TypeError",))
        yield MadeObjectContract(symbol=made.symbol.name, tolerant=tolerant, place=context.place(node))


@judge(MadeObjectContract)
def judge_made(contract: MadeObjectContract, pair: Comparison) -> Iterator[Finding]:
    """The class has abstract methods now."""
    before, after = pair.old.resolve(contract.symbol), pair.now(contract.symbol)
    if before is None or after is None or after.kind != "class" or unimplemented(before, pair.old):
        return
    # A base that nobody sees may have the method, and a decorator may add it.
    if pair.new.is_open(after) or not keep_members(pair.new, after):
        return
    if pair.new.member(after, "__new__") is not None:
        return
    ground = Ground.TESTED_FOR if contract.tolerant else Ground.CLASS_CANNOT_BE_MADE
    for name, owner in sorted(unimplemented(after, pair.new).items()):
        yield Finding(
            contract, ChangeKind.ABSTRACT_METHOD_ADDED, f"{owner.name}.{name}", ground,
            f"{owner.name} now has the abstract method {name}: no object of {contract.symbol} can be made",
            subject=name, details=MemberDetails(name=name, base=owner.name),
        )  # fmt: skip
        return
