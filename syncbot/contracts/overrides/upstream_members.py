"""Members that a class of the backend has of the upstream classes that it derives from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from syncbot.api.symbols import Member, Symbol
from syncbot.api.universe import Universe
from syncbot.contracts.comparison import Comparison


@dataclass(frozen=True, slots=True)
class InheritedMember:
    """A class of the backend with both upstreams, and the member of one name that it has of upstream with the
    old one, and with the new one, if there is any."""

    old_class: Symbol
    new_class: Symbol
    before: Member
    after: Member | None


def inherited_member(
    receiver: str, name: str, upstream: Sequence[str], pair: Comparison
) -> InheritedMember | None:
    """Return what the class ``receiver`` has under a name; None where it had nothing of upstream there."""
    old_class, new_class = pair.old.resolve(receiver), pair.new.resolve(receiver)
    if old_class is None or new_class is None:
        return None
    before = upstream_member(old_class, name, pair.old, upstream)
    if before is None:
        return None
    return InheritedMember(old_class, new_class, before, upstream_member(new_class, name, pair.new, upstream))


def upstream_member(own: Symbol, name: str, universe: Universe, upstream: Sequence[str]) -> Member | None:
    """The nearest upstream definition of a member in a class's lineage that no class of the backend hides."""
    for index, owner in enumerate(universe.lineage(own).classes[1:], start=1):
        if universe.belongs(owner.module, upstream):
            found = universe.member(own, name, index)
            if found is None or universe.belongs(found.owner.module, upstream):
                return found
    return None
