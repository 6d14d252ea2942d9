"""The function or class that an expression names which is called, now or later."""

from __future__ import annotations

import ast

from syncbot.api.methods import is_property
from syncbot.api.signatures import Arguments
from syncbot.api.symbols import Member
from syncbot.contracts.calls.functions_in_attributes import held_function
from syncbot.contracts.calls.targets import CallContract
from syncbot.contracts.context import Context
from syncbot.contracts.inference.called_objects import called_method
from syncbot.contracts.inference.values import Value
from syncbot.contracts.model import Place

_NOTHING = Arguments(0, ())


def callee(func: ast.expr, place: Place, context: Context) -> CallContract | None:
    """A call of what an expression is here, still without arguments; None where that is not known."""
    if not isinstance(func, ast.Attribute):
        called = context.infer(func)
        if called is None or called.instance:
            return _object(called, place, context)
        aliases = tuple(f"{module}.{called.symbol.qualname}" for module in called.symbol.via)
        return CallContract(
            symbol=called.symbol.name, arguments=_NOTHING, bound=called.bound, aliases=aliases, place=place
        )
    base = context.infer(func.value)
    if base is None:
        return None
    if not base.instance and base.symbol.kind != "class":
        return CallContract(symbol=f"{base.symbol.name}.{func.attr}", arguments=_NOTHING, place=place)
    return _member(func, base, place, context)


def _member(func: ast.Attribute, base: Value, place: Place, context: Context) -> CallContract | None:
    """The same for a member of an object, or of a class."""
    member = context.universe.member(base.symbol, func.attr, base.skip)
    if member is None and func.attr != "__class__":
        return None
    given = member is not None and _gives(member, context)
    held = context.infer(func) if member is None or not member.functions or given else None
    if held is not None and held.instance:
        return _object(held, place, context)
    if held is not None and (held.symbol.kind == "class" or given):
        return CallContract(symbol=held.symbol.name, arguments=_NOTHING, bound=held.bound, place=place)
    if member is None:
        return None
    own = held_function(base, member, context) if not member.functions else None
    if own is not None:
        return CallContract(symbol=own.symbol.name, arguments=_NOTHING, bound=own.bound, place=place)
    return CallContract(
        symbol=member.symbol, arguments=_NOTHING, receiver=base.symbol.name, name=func.attr, skip=base.skip,
        bound=base.instance, place=place,
    )  # fmt: skip


def _object(called: Value | None, place: Place, context: Context) -> CallContract | None:
    """The same for an object that is called itself."""
    member = called_method(context.universe, called.symbol) if called is not None else None
    if called is None or member is None:
        return None
    return CallContract(
        symbol=member.symbol, arguments=_NOTHING, receiver=called.symbol.name, name="__call__", bound=True,
        place=place,
    )  # fmt: skip


def _gives(member: Member, context: Context) -> bool:
    """Whether a member is a property of the backend, which gives what is called."""
    return (
        bool(member.functions)
        and is_property(member.functions[-1])
        and not context.is_upstream(member.symbol)
    )
