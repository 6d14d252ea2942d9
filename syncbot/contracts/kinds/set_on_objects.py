"""Attributes that the backend sets on upstream's objects, which do not take them any more: their class became
a frozen one, a named tuple, or one that takes nothing but what it declares."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from syncbot.api.expressions import string
from syncbot.api.symbols import Symbol
from syncbot.api.universe import Universe
from syncbot.contracts.attributes.class_decorators import keep_members
from syncbot.contracts.attributes.closed_classes import refuses
from syncbot.contracts.attributes.frozen_classes import is_frozen, refuses_changes
from syncbot.contracts.calls.known_values import Constant
from syncbot.contracts.calls.refused_arguments import Running, refusal
from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.conditions.caught_errors import catches_attribute_error
from syncbot.contracts.context import Context
from syncbot.contracts.derived_classes import derived_from
from syncbot.contracts.grounds import Ground
from syncbot.contracts.model import Contract, Finding
from syncbot.contracts.registry import finder, judge

_ERRORS = ("AttributeError", "FrozenInstanceError", "ValidationError", "ValueError", "TypeError")


@dataclass(frozen=True, slots=True, kw_only=True)
class SetOnObjectContract(Contract):
    """``name`` is set on an object of the class ``receiver``; ``tolerant``: what that raises is caught."""

    receiver: str
    name: str
    tolerant: bool


@finder(ast.Attribute, ast.Call)
def find_set(node: ast.Attribute | ast.Call, context: Context) -> Iterator[SetOnObjectContract]:
    """``x.name = …``, ``del x.name`` and ``setattr(x, "name", …)``."""
    match node:
        case ast.Attribute(value=owner, attr=name, ctx=ast.Store() | ast.Del()):
            pass
        case ast.Call(func=ast.Name(id="setattr"), args=[owner, named, _]) if string(named):
            name = string(named) or ""
        case _:
            return
    base = context.infer(owner) if not name.startswith("__") else None
    if base is None or not base.instance or base.skip:
        return
    declared = context.universe.member(base.symbol, name)
    if context.is_upstream(declared.owner.module if declared is not None else base.symbol.module):
        yield SetOnObjectContract(
            symbol=declared.symbol if declared is not None else base.symbol.name,
            receiver=base.symbol.name,
            name=name,
            tolerant=catches_attribute_error(context.parents, node, _ERRORS),
            place=context.place(node),
        )


@judge(SetOnObjectContract)
def judge_set(contract: SetOnObjectContract, pair: Comparison) -> Iterator[Finding]:
    """The objects do not take it any more, and neither do those of classes below."""
    before, after = pair.old.resolve(contract.receiver), pair.now(contract.receiver)
    if before is None or after is None or after.kind != "class":
        return
    was, now = pair.old.member(before, contract.name), pair.new.member(after, contract.name)
    # That a declared one is gone is said of every use.
    if (was is not None and now is None) or _why_not(pair.old, before, contract.name) is not None:
        return
    why = _why_not(pair.new, after, contract.name)
    if why is None or not keep_members(pair.new, after) or not _all_below(after, contract.name, pair):
        return
    ground = Ground.TESTED_FOR if contract.tolerant else Ground.OBJECT_FROZEN
    symbol = f"{after.name}.{contract.name}"
    reason = f"{contract.name} of an object of {after.name} cannot be set any more: {why}"
    yield Finding(contract, ChangeKind.ATTRIBUTE_READ_ONLY, symbol, ground, reason, subject=contract.name)


def _why_not(universe: Universe, class_: Symbol, name: str) -> str | None:
    """Why objects of a class do not take an attribute; None where they may."""
    if (raised := _raised_by_setter(universe, class_, name)) is not None:
        return raised
    if universe.member(class_, name) is not None:
        what = refuses_changes(universe, class_, name)
        return f"it is a field of {what}" if what is not None else None
    # Objects of a plain class below a frozen one take what is no field.
    frozen = class_.class_ is not None and is_frozen(class_.class_.decorators)
    if frozen and universe.member(class_, "__setattr__") is None:
        return "its class is a frozen dataclass"
    return refuses(universe, class_, name)


def _raised_by_setter(universe: Universe, class_: Symbol, name: str) -> str | None:
    """Return what the ``__setattr__`` of a class is sure to raise for a name."""
    setter = universe.member(class_, "__setattr__")
    function = setter.functions[-1] if setter is not None and setter.functions else None
    if setter is None or function is None or len(function.parameters) != 3:
        return None
    running = Running(setter.owner.module, function, setter.owner.qualname)
    raised = refusal(universe, running, {function.parameters[1].name: Constant(name)})
    return f"{setter.symbol}() raises {raised.raised} for it" if raised is not None else None


def _all_below(class_: Symbol, name: str, pair: Comparison) -> bool:
    """Whether objects of no class that derives from this one take it."""
    below = [c for tree in (pair.new_tree, pair.own_tree) for c in derived_from(class_, tree, pair)]
    return all(_why_not(pair.new, one, name) is not None for one in below)
