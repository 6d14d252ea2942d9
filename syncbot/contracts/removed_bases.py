"""Bases that the new upstream no longer has, or has where nobody can see them."""

from __future__ import annotations

import builtins
from collections.abc import Callable

from syncbot.api.universe import Symbol, Universe


def from_lost_base(
    own: Symbol,
    owner: Symbol,
    old: Universe,
    now: Callable[[str], Symbol | None],
    upstream: Callable[[str], bool],
) -> bool:
    """Whether a class has the members of ``owner`` only through a base that a class of the backend names and
    that the new upstream lacks: one loss, which is told where the base is imported.

    ``own`` and ``owner`` are classes of the ``old`` universe, ``now`` is what a dotted name leads to with the
    new one, ``upstream`` whether a dotted name belongs to it.
    """
    lost = False
    for class_ in old.lineage(own).classes:
        if upstream(class_.name):
            continue
        for _, base in old.bases(class_):
            if base is None or base.kind != "class" or not upstream(base.name):
                continue
            if all(c.name != owner.name for c in old.lineage(base).classes):
                continue
            if now(base.name) is not None:
                return False
            lost = True
    return lost


def unseen_base(
    old: Symbol,
    new: Symbol,
    name: str,
    before: Universe,
    after: Universe,
    now: Callable[[str], Symbol | None],
    upstream: Callable[[str], bool],
) -> str | None:
    """The base from which a class that is not seen to have a member any more may have it all the same.

    It is one of upstream's that the class had not, and that is no class as it is written, but made when the
    program runs; and a class that this one derived from still has the member.
    """
    known = set(before.lineage(old).external)
    unseen = (base for base in after.lineage(new).external if base not in known)
    # What a module itself makes and gives a name is written without one.
    made = next((b for b in unseen if upstream(b) or not ("." in b or hasattr(builtins, b))), None)
    if made is None:
        return None
    ancestors = (now(c.name) for c in before.lineage(old).classes[1:])
    still = any(c is not None and after.member(c, name) is not None for c in ancestors)
    return made if still else None
