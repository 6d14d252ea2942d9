"""Properties without a setter of the backend's subclasses, where upstream's constructor sets what bears their
name from now on: Python refuses that."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from syncbot.api.methods import is_read_only
from syncbot.api.symbols import Member, Symbol
from syncbot.contracts.attributes.set_by_constructors import newly_set, set_by_constructor
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.context import Context
from syncbot.contracts.model import Contract, Finding
from syncbot.contracts.reached_constructors import constructor, reached_constructors
from syncbot.contracts.registry import finder, judge


@dataclass(frozen=True, slots=True, kw_only=True)
class UnsettablePropertyContract(Contract):
    """The backend's class ``receiver`` has a property ``name``; ``symbol`` is the upstream class whose
    constructor makes its objects."""

    receiver: str
    name: str


@finder(ast.FunctionDef)
def find_unsettable(node: ast.FunctionDef, context: Context) -> Iterator[UnsettablePropertyContract]:
    """``@property`` in a class whose objects an upstream constructor makes too."""
    own = context.own_class() if node.decorator_list else None
    if own is None or not is_read_only(Member(own, node.name, context.universe.defined(own, node.name))):
        return
    maker = _maker(own, context)
    if maker is not None:
        yield UnsettablePropertyContract(
            symbol=maker.name, receiver=own.name, name=node.name, place=context.place(node)
        )


def _maker(own: Symbol, context: Context) -> Symbol | None:
    """The nearest upstream class whose constructor runs where an object of the class is made."""
    init = constructor(context.parent)
    made = context.universe.member(own, "__init__", 1 if init is not None else 0)
    if made is None or not context.is_upstream(made.owner.name):
        return None
    runs = init is None or made.owner.name in reached_constructors(own, [init], context)
    return made.owner if runs else None


@judge(UnsettablePropertyContract)
def judge_unsettable(contract: UnsettablePropertyContract, pair: Comparison) -> Iterator[Finding]:
    """The constructor that makes the objects sets the name, and did not before."""
    before, after = pair.old.resolve(contract.symbol), pair.now(contract.symbol)
    if before is None or after is None or set_by_constructor(before, contract.name, pair.old):
        return
    given = set_by_constructor(after, contract.name, pair.new)
    if given:
        what = "it is a property without a setter here, and that fails"
        yield newly_set(contract, after, given, what)
