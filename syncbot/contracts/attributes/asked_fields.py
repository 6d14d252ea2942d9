"""Fields of upstream's objects that the backend asks more of than to be there."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass

from syncbot.api.symbols import Member, Symbol
from syncbot.contracts.attributes.asked_of_values import asked
from syncbot.contracts.context import Context
from syncbot.contracts.inference.values import Value

_OF_EVERY_CONDITION = {"if", "else", "try", "except", "self", "not", "and", "or", "is", "in", "None"}


@dataclass(frozen=True, slots=True)
class AskedField:
    """A field that only upstream assigns, on what it is read, and what its value has to have."""

    receiver: Value
    member: Member
    asked: str


def asked_field(node: ast.Attribute, context: Context) -> AskedField | None:
    """Return what is read here where that is such a field; None for anything else."""
    wanted = asked(node, context.parent) if isinstance(node.ctx, ast.Load) else ""
    base = context.infer(node.value) if wanted else None
    if base is None or not base.instance:
        return None
    member = context.universe.member(base.symbol, node.attr, base.skip)
    if member is not None and _on_conditions(member, context):
        member = _behind(member, base.symbol, context)
        base = Value(member.owner, instance=True) if member is not None else base
    if member is None or not is_field(member) or not context.is_upstream(member.owner.module):
        return None
    return AskedField(base, member, wanted)


def _on_conditions(member: Member, context: Context) -> bool:
    """Whether the backend assigns a field only where something holds that is not asked here: else it is as
    upstream has it."""
    if not is_field(member) or context.is_upstream(member.owner.module):
        return False
    here = _words(context.guards)
    return all(a.guards and not _words(a.guards) & here for a in member.attributes)


def _words(guards: Sequence[str]) -> set[str]:
    """The names in some conditions: those that share one may hold together."""
    return {word for guard in guards for word in re.findall(r"[A-Za-z_]\w*", guard)} - _OF_EVERY_CONDITION


def _behind(member: Member, class_: Symbol, context: Context) -> Member | None:
    """Return what the classes above the owner of a member have under its name."""
    chain = [c.name for c in context.universe.lineage(class_).classes]
    return context.universe.member(class_, member.name, chain.index(member.owner.name) + 1)


def is_field(member: Member) -> bool:
    """Whether it is nothing but a field; one that is declared has a contract of its own."""
    return len(member.attributes) == len(member.nodes) and not any(a.annotation for a in member.attributes)
