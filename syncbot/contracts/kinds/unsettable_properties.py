"""Properties without a setter of the backend's subclasses, where upstream's constructor sets what bears their
name from now on: Python refuses that."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from syncbot.api.every_node import every_node
from syncbot.api.expressions import dotted
from syncbot.api.methods import is_read_only
from syncbot.api.model import Attribute
from syncbot.api.symbols import Member, Symbol
from syncbot.api.universe import Universe
from syncbot.contracts.attributes.natures import is_unconditional
from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.context import Context
from syncbot.contracts.grounds import Ground
from syncbot.contracts.model import Contract, Finding
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
    for maker in _makers(own, context):
        yield UnsettablePropertyContract(
            symbol=maker.name, receiver=own.name, name=node.name, place=context.place(node)
        )


def _makers(own: Symbol, context: Context) -> Iterator[Symbol]:
    """The nearest upstream class with a constructor, unless one of the class leaves that out."""
    init = next(
        (
            s
            for s in getattr(context.parent, "body", ())
            if isinstance(s, ast.FunctionDef) and s.name == "__init__"
        ),
        None,
    )
    made = context.universe.member(own, "__init__", 1 if init is not None else 0)
    if made is None or not context.is_upstream(made.owner.name):
        return
    called = [] if init is None else [
        n.func.value for n in every_node(init)
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute) and n.func.attr == "__init__"
    ]  # fmt: skip
    by_super = any(isinstance(c, ast.Call) and dotted(c.func) == "super" for c in called)
    values = [context.infer(c) for c in called]
    if init is None or by_super or any(v is not None and v.symbol.name == made.owner.name for v in values):
        yield made.owner


@judge(UnsettablePropertyContract)
def judge_unsettable(contract: UnsettablePropertyContract, pair: Comparison) -> Iterator[Finding]:
    """The constructor that makes the objects sets the name, and did not before."""
    before, after = pair.old.resolve(contract.symbol), pair.now(contract.symbol)
    if before is None or after is None or _set_on(before, contract.name, pair.old):
        return
    given = _set_on(after, contract.name, pair.new)
    if not given:
        return
    sure = is_unconditional(given)
    paths = "each object" if sure else "objects, on some conditions"
    reason = (
        f"{after.name}.__init__() now sets {contract.name} on {paths}: "
        "it is a property without a setter here, and that fails"
    )
    yield Finding(
        contract, ChangeKind.ATTRIBUTE_HIDDEN, f"{after.name}.{contract.name}",
        Ground.SET_ON_OBJECTS if sure else Ground.DOUBTED, reason,
        subject=contract.name,
    )  # fmt: skip


def _set_on(class_: Symbol, name: str, universe: Universe) -> list[Attribute]:
    """What the constructor of a class gives its objects under a name."""
    return [n for n in universe.defined(class_, name) if isinstance(n, Attribute) and n.origin == "__init__"]
