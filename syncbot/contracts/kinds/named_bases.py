"""Bases that a class calls by name, ``Base.__init__(self)`` and ``super(Base, self)``: what is no base any
more raises TypeError where Python looks for what comes behind it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from syncbot.api.every_node import every_node
from syncbot.api.symbols import Symbol
from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.context import Context
from syncbot.contracts.function_sources import function_node
from syncbot.contracts.grounds import Ground
from syncbot.contracts.model import Contract, Finding
from syncbot.contracts.registry import finder, judge


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedBaseContract(Contract):
    """``receiver`` derives from ``symbol`` and calls its method ``name``, or ``super()`` of it where that is
    empty."""

    told_beside: ClassVar[bool] = True
    receiver: str
    name: str


@finder(ast.Call)
def find_named_bases(node: ast.Call, context: Context) -> Iterator[NamedBaseContract]:
    """``Base.method(self)`` and ``super(Base, self)`` in a method."""
    match node:
        case ast.Call(func=ast.Name(id="super"), args=[base, ast.Name(id=first)]):
            name = ""
        case ast.Call(func=ast.Attribute(value=base, attr=name), args=[ast.Name(id=first), *_]):
            pass
        case _:
            return
    class_ = _class_of(first, context)
    found = context.infer(base) if class_ is not None else None
    if class_ is None or found is None or found.instance or not context.is_upstream(found.symbol.module):
        return
    if found.symbol.name in {c.name for c in context.universe.lineage(class_).classes[1:]}:
        yield NamedBaseContract(
            symbol=found.symbol.name, receiver=class_.name, name=name, place=context.place(node)
        )


def _class_of(first: str, context: Context) -> Symbol | None:
    """The class in whose method the node stands that has such a first parameter."""
    function = context.function
    named = [*function.args.posonlyargs, *function.args.args] if function is not None else []
    if not named or named[0].arg != first or context.class_around is None:
        return None
    return context.class_named(context.qualname[:-1])


@judge(NamedBaseContract)
def judge_named_base(contract: NamedBaseContract, pair: Comparison) -> Iterator[Finding]:
    """The class derives from what is called no more, and that asks for what comes behind it."""
    own, base = pair.new.resolve(contract.receiver), pair.now(contract.symbol)
    if own is None or base is None or base.kind != "class":
        return
    lineage = pair.new.lineage(own)
    if base.name in {c.name for c in lineage.classes} or any(map(pair.is_upstream, lineage.external)):
        return
    if contract.name and not _asks_further(base, contract.name, pair):
        return
    called = f"{base.qualname}.{contract.name}() calls super()" if contract.name else "super() asks for it"
    reason = f"{base.name} is no base of {own.qualname} any more, and {called}"
    yield Finding(contract, ChangeKind.TYPE_CHANGED, base.name, Ground.BASE_NO_MORE, reason)


def _asks_further(base: Symbol, name: str, pair: Comparison) -> bool:
    """Whether a method calls ``super()`` without arguments, which fails on an object of another class."""
    member = pair.new.member(base, name)
    if member is None or not member.functions:
        return False
    owner = member.owner
    node = function_node(pair.new, owner.module, member.functions[-1], owner.qualname)
    return node is not None and any(
        isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id == "super" and not n.args
        for n in every_node(node)
    )
