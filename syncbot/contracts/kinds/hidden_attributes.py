"""Attributes that the backend's subclasses set in their bodies, and that upstream's constructor sets on each
object from now on: Python looks at the object first."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from syncbot.api.model import Attribute
from syncbot.api.symbols import Symbol
from syncbot.api.universe import Universe
from syncbot.contracts.attributes.set_by_constructors import newly_set, set_by_constructor
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.context import Context
from syncbot.contracts.kinds.set_attributes import set_in_class
from syncbot.contracts.model import Contract, Finding
from syncbot.contracts.overrides.upstream_members import upstream_member
from syncbot.contracts.registry import finder, judge


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassAttributeContract(Contract):
    """The backend's class ``receiver`` sets in its body what upstream's class sets in its own body."""

    receiver: str
    name: str


@finder(ast.Assign, ast.AnnAssign)
def find_in_body(node: ast.Assign | ast.AnnAssign, context: Context) -> Iterator[ClassAttributeContract]:
    """``name = …`` in the body of a class."""
    for own, name in set_in_class(node, context):
        base = upstream_member(own, name, context.universe, context.upstream)
        if base is not None and base.attributes and not any(a.origin for a in base.attributes):
            yield ClassAttributeContract(
                symbol=base.symbol, receiver=own.name, name=name, place=context.place(node)
            )


@judge(ClassAttributeContract)
def judge_class_attribute(contract: ClassAttributeContract, pair: Comparison) -> Iterator[Finding]:
    """The constructor that makes the backend's objects sets the attribute as well, in each run."""
    old_class, new_class = pair.old.resolve(contract.receiver), pair.new.resolve(contract.receiver)
    if old_class is None or new_class is None or _given(old_class, contract.name, pair.old):
        return
    given = _given(new_class, contract.name, pair.new)
    made = pair.new.member(new_class, "__init__") if given else None
    if made is None or pair.new.tree_of(made.owner.module) is not pair.new_tree:
        return
    yield newly_set(
        contract, made.owner, given, "what the class here sets in its body is not looked at any more"
    )


def _given(class_: Symbol, name: str, universe: Universe) -> list[Attribute]:
    """Return what the constructor that makes the objects of a class gives them under a name, without asking
    the class for its own value."""
    made = universe.member(class_, "__init__")
    given = set_by_constructor(made.owner, name, universe) if made is not None else []
    asks = re.compile(rf"\.{re.escape(name)}\b|\bgetattr\(|\bhasattr\(")
    return given if not any(asks.search(" ".join((a.value or "", *a.guards))) for a in given) else []
