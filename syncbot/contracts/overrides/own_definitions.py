"""The function that a class has under a name: defined in a body, or only given the name there."""

from __future__ import annotations

from syncbot.api.model import Function
from syncbot.api.symbols import Member, is_dotted
from syncbot.api.universe import Universe


def functions_of(member: Member, universe: Universe) -> tuple[Function, ...]:
    """The definitions of a member, through ``name = function`` those of that function; none for a value."""
    if member.functions or not member.attributes:
        return member.functions
    value = member.attributes[-1].value
    if value is None or not is_dotted(value) or value == member.name:
        return ()
    inside = tuple(n for n in universe.defined(member.owner, value) if isinstance(n, Function))
    named = universe.local(member.owner.module, value) if not inside else None
    return inside or (named.functions if named is not None else ())
