"""Fields that a class declares by calls, for a metaclass to write the constructor from."""

from __future__ import annotations

import re

from syncbot.api.symbols import Symbol
from syncbot.api.universe import Universe
from syncbot.contracts.attributes.metaclasses import own_metaclasses

# Longer values are cut in a table.
_CALL = re.compile(r"[\w.]+\(")


def declares(universe: Universe, class_: Symbol, name: str) -> bool:
    """Whether a class with a metaclass has a member of that name that is what a call makes."""
    member = universe.member(class_, name)
    if member is None or not any(own_metaclasses(universe, class_)):
        return False
    return any(not a.origin and _CALL.match(a.value or "") is not None for a in member.attributes)


def lacks(universe: Universe, class_: Symbol, name: str) -> bool:
    """Whether a class with a metaclass certainly has no member of that name."""
    return (
        any(own_metaclasses(universe, class_))
        and universe.member(class_, name) is None
        and not universe.is_open(class_)
    )
