"""The metaclasses of classes, and what they answer for."""

from __future__ import annotations

from collections.abc import Iterator

from syncbot.api.symbols import Symbol
from syncbot.api.universe import Universe

_ANSWERING = ("__getattr__", "__getattribute__")
_MARK = "metaclass="
# Those of the standard library that change nothing of how a class is subscripted, called or asked.
_PLAIN = ("ABCMeta", "EnumMeta", "EnumType", "type")


def own_metaclasses(universe: Universe, class_: Symbol) -> Iterator[tuple[str, str]]:
    """The metaclasses that a class and its bases name, those of the standard library left out, each as it is
    written, after the module of that class."""
    for one in universe.lineage(class_).classes:
        keywords = one.class_.keywords if one.class_ is not None else ()
        for name in (k.removeprefix(_MARK) for k in keywords if k.startswith(_MARK)):
            if name.rpartition(".")[2] not in _PLAIN:
                yield one.module, name


def answering_metaclass(universe: Universe, class_: Symbol) -> Symbol | None:
    """The metaclass of a class, if that gives attributes when it is asked; it answers for the class alone,
    not for objects of it."""
    for module, name in own_metaclasses(universe, class_):
        found = universe.local(module, name)
        if found is not None and found.kind == "class":
            answers = any(universe.member(found, way) is not None for way in _ANSWERING)
            return found if answers else None
    return None
