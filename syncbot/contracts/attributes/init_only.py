"""Fields of dataclasses that only the constructor is given: objects do not have them."""

from __future__ import annotations

from syncbot.api.signatures import is_dataclass
from syncbot.api.symbols import Member
from syncbot.api.universe import Universe

_HEADS = ("InitVar", "InitVar[", "dataclasses.InitVar", "dataclasses.InitVar[")


def is_init_only(member: Member, universe: Universe) -> bool:
    """Whether a member is nothing but an ``InitVar`` without a default: ``__post_init__`` is given its value,
    and reading it from an object raises AttributeError
    (https://docs.python.org/3/library/dataclasses.html#init-only-variables)."""
    attribute = member.attributes[0] if len(member.nodes) == len(member.attributes) == 1 else None
    if attribute is None or attribute.origin or attribute.value is not None:
        return False
    written = attribute.annotation or ""
    head, bracket, _ = written.partition("[")
    return head + bracket in _HEADS and is_dataclass(universe, member.owner)
