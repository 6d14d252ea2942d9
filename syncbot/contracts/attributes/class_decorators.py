"""Decorators of classes, and whether they leave a class as it is written."""

from __future__ import annotations

from syncbot.api.expressions import last_name
from syncbot.api.symbols import Symbol
from syncbot.api.universe import Universe

_KEEPING = {
    *("dataclass", "final", "runtime_checkable", "total_ordering", "deprecated"),
    *("unique", "verify", "global_enum"),
}


def keep_members(universe: Universe, class_: Symbol) -> bool:
    """Whether no decorator of a class, or of one that it derives from, may give it members or put another one
    in its place."""
    bodies = (one.class_ for one in universe.lineage(class_).classes)
    decorators = (decorator for body in bodies if body is not None for decorator in body.decorators)
    return all(last_name(decorator) in _KEEPING for decorator in decorators)
