"""Fields of upstream's objects that the backend asks more of than to be there."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from syncbot.api.symbols import Member
from syncbot.contracts.attributes.asked_of_values import asked
from syncbot.contracts.context import Context
from syncbot.contracts.inference.values import Value


@dataclass(frozen=True, slots=True)
class AskedField:
    """A field that only upstream assigns, on what it is read, and what its value has to have."""

    receiver: Value
    member: Member
    asked: str


def asked_field(node: ast.Attribute, context: Context) -> AskedField | None:
    """What is read here where that is such a field; None for anything else."""
    wanted = asked(node, context.parent) if isinstance(node.ctx, ast.Load) else ""
    base = context.infer(node.value) if wanted else None
    if base is None or not base.instance:
        return None
    member = context.universe.member(base.symbol, node.attr, base.skip)
    if member is None or not is_field(member) or not context.is_upstream(member.owner.module):
        return None
    return AskedField(base, member, wanted)


def is_field(member: Member) -> bool:
    """Whether it is nothing but a field; one that is declared has a contract of its own."""
    return len(member.attributes) == len(member.nodes) and not any(a.annotation for a in member.attributes)
