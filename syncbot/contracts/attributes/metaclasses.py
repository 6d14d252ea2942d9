"""Metaclasses that answer for names which their classes do not have."""

from __future__ import annotations

from syncbot.api.symbols import Symbol
from syncbot.api.universe import Universe

_ANSWERING = ("__getattr__", "__getattribute__")


def answering_metaclass(universe: Universe, class_: Symbol) -> Symbol | None:
    """The metaclass of a class, if that gives attributes when it is asked; it answers for the class alone,
    not for objects of it."""
    for one in universe.lineage(class_).classes:
        keywords = one.class_.keywords if one.class_ is not None else ()
        for name in (k.removeprefix("metaclass=") for k in keywords if k.startswith("metaclass=")):
            found = universe.local(one.module, name)
            if found is not None and found.kind == "class":
                answers = any(universe.member(found, way) is not None for way in _ANSWERING)
                return found if answers else None
    return None
