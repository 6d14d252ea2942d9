"""Fields that a class declares by calls, for a metaclass to write the constructor from."""

from __future__ import annotations

import re

from syncbot.api.symbols import Symbol
from syncbot.api.universe import Universe

# Metaclasses of the standard library, which make no constructor.
_PLAIN = ("ABCMeta", "EnumMeta", "EnumType", "type")
# Longer values are cut in a table.
_CALL = re.compile(r"[\w.]+\(")


def declares(universe: Universe, class_: Symbol, name: str) -> bool:
    """Whether a class with a metaclass has a member of that name that is what a call makes."""
    member = universe.member(class_, name)
    if member is None or not any(_has_metaclass(c) for c in universe.lineage(class_).classes):
        return False
    return any(not a.origin and _CALL.match(a.value or "") is not None for a in member.attributes)


def lacks(universe: Universe, class_: Symbol, name: str) -> bool:
    """Whether a class with a metaclass certainly has no member of that name."""
    lineage = universe.lineage(class_)
    return (
        any(_has_metaclass(c) for c in lineage.classes)
        and universe.member(class_, name) is None
        and not universe.is_open(class_)
    )


def _has_metaclass(class_: Symbol) -> bool:
    keywords = class_.class_.keywords if class_.class_ is not None else ()
    named = (k.removeprefix("metaclass=") for k in keywords if k.startswith("metaclass="))
    return any(name.rpartition(".")[2] not in _PLAIN for name in named)
