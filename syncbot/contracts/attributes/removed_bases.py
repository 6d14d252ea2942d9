"""Bases that the new upstream no longer has."""

from __future__ import annotations

from collections.abc import Callable

from syncbot.api.symbols import Member, Symbol
from syncbot.api.universe import Universe
from syncbot.contracts.comparison import Comparison


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


def lost_by(class_: Symbol, member: Member, pair: Comparison) -> str:
    """The member that is lost, as one of the class that had it from a base which still has it."""
    owner = pair.new.resolve(member.owner.name)
    if owner is None or owner.kind != "class" or not pair.new.defined(owner, member.name):
        return member.symbol
    heirs = (c for c in reversed(pair.old.lineage(class_).classes) if pair.is_upstream(c.name))
    known = ((heir, pair.new.resolve(heir.name)) for heir in heirs if heir.name != owner.name)
    lost = (
        heir for heir, now in known
        if now is not None and now.kind == "class"
        and pair.old.member(heir, member.name) is not None and pair.new.member(now, member.name) is None
    )  # fmt: skip
    heir = next(lost, None)
    return f"{heir.name}.{member.name}" if heir is not None else member.symbol
