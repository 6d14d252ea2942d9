"""How many values an object of a class unpacks into."""

from __future__ import annotations

from syncbot.api.symbols import Symbol
from syncbot.api.universe import Universe


def tuple_fields(universe: Universe, class_: Symbol) -> int | None:
    """The number of fields of a ``typing.NamedTuple``; None for another class."""
    lineage = universe.lineage(class_)
    if not any(base.rpartition(".")[2] == "NamedTuple" for base in lineage.external):
        return None
    bodies = [universe.body(c) for c in lineage.classes]
    return sum(bool(a.annotation) for body in bodies if body is not None for a in body.attributes)
