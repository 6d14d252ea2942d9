"""Bases that the new upstream no longer has."""

from __future__ import annotations

from collections.abc import Callable

from syncbot.api.symbols import Symbol
from syncbot.api.universe import Universe


def from_lost_base(
    own: Symbol,
    owner: Symbol,
    old: Universe,
    gone: Callable[[str], bool],
    upstream: Callable[[str], bool],
) -> bool:
    """Whether a class has the members of ``owner`` only through a base that the backend names and the new
    upstream lacks: that is told where the base is imported. Both are classes of the ``old`` universe."""
    lost = False
    for class_ in old.lineage(own).classes:
        if upstream(class_.name):
            continue
        for _, base in old.bases(class_):
            if base is None or base.kind != "class" or not upstream(base.name):
                continue
            if all(c.name != owner.name for c in old.lineage(base).classes):
                continue
            if not gone(base.name):
                return False
            lost = True
    return lost
