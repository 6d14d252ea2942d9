"""Attributes that classes no longer have, or have otherwise."""

from __future__ import annotations

from dataclasses import replace

from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.grounds import Ground
from syncbot.typecheck.judged_case import Case, Subject, make_case, shorten, union_of
from syncbot.typecheck.printed_names import Names


def attribute_missing(subject: Subject, names: Names) -> Case | None:
    """An attribute is gone from a class."""
    name, place = subject.name, subject.place
    owners = names.classes(subject.finding.owner, place)
    skip = 1 if subject.finding.owner.startswith("<super") else 0
    for owner in owners:
        before, after = names.members(owner, name, skip)
        if before is not None and after is None and names.is_upstream(before.owner.name):
            if names.through_lost_base(owner, before):
                return None
            partly = subject.finding.partly and len(owners) > 1
            case = _attribute_gone(subject, before.symbol, before.owner.module, partly)
            node = place.attribute(name)
            own = names.own_behind(node.value, name) if node is not None else None
            if own is None:
                return case
            message = f"{case.message}, unless this is an object of {own}"
            return replace(
                case, ground=Ground.OWN_OBJECT, confidence=Ground.OWN_OBJECT.share, message=message
            )
        if before is not None and after is not None:
            return None
    if len(owners) != 1 or not names.is_upstream(owners[0]):
        return None
    message = f"{owners[0]} has no {name}, and what is used here is now known to be one"
    return make_case(
        subject, ChangeKind.ATTRIBUTE_MISSING, f"{owners[0]}.{name}", Ground.ONLY_KNOWN_NOW, message
    )


def _attribute_gone(subject: Subject, symbol: str, module: str, partly: bool) -> Case:
    name = subject.name
    if subject.place.assigns(name):
        message = f"{symbol} no longer exists: what is assigned here is not read upstream any more"
        return make_case(
            subject, ChangeKind.ATTRIBUTE_REMOVED, symbol, Ground.WRITTEN_ONLY, message, modules=(module,),
            proven=True,
        )  # fmt: skip
    message = f"{symbol} no longer exists, but is used here"
    ground = Ground.PARTLY_GONE if partly else Ground.USED_MEMBER_GONE
    return make_case(
        subject, ChangeKind.ATTRIBUTE_REMOVED, symbol, ground, message, modules=(module,), proven=True
    )


def attribute_unknown(subject: Subject, names: Names) -> Case | None:
    """A class with a base outside the trees hides a missing attribute: it counts as unknown from then on."""
    name, place = subject.name, subject.place
    here, node = names.here(place), place.attribute(name)
    if here is None or node is None:
        return None
    receiver = node.value
    on_self = getattr(receiver, "id", None) in ("self", "cls")
    on_super = getattr(getattr(receiver, "func", None), "id", None) == "super"
    if not (on_self or on_super):
        return None
    before_class, after_class = names.class_in(names.old, here), names.class_in(names.new, here)
    if before_class is None or after_class is None:
        return None
    lost = set(names.new.lineage(after_class).external) - set(names.old.lineage(before_class).external)
    if any(names.is_upstream(base) for base in lost):
        return None
    before, after = names.members(here, name, 1 if on_super else 0)
    if before is None or after is not None or not names.is_upstream(before.owner.name):
        return None
    if names.through_lost_base(here, before):
        return None
    return _attribute_gone(subject, before.symbol, before.owner.module, False)


def read_only(subject: Subject, names: Names) -> Case | None:
    """An attribute can no longer be set."""
    owners = names.classes(subject.finding.owner, subject.place)
    for owner in owners:
        _, after = names.members(owner, subject.name)
        if after is not None and names.is_upstream(after.owner.name):
            message = f"{after.symbol} can no longer be set, but is assigned here"
            return make_case(subject, ChangeKind.ATTRIBUTE_READ_ONLY, after.symbol, Ground.READ_ONLY, message)
    return None


def attribute_type(subject: Subject, names: Names) -> Case | None:
    """An attribute that the backend sets has another type in the base class."""
    mine, theirs = union_of(subject.finding.ours), union_of(subject.finding.theirs)
    # A union that only grew or shrank, and wrapped functions that print as unions, break nothing.
    if not mine or not theirs or mine & theirs or "->" in subject.finding.theirs:
        return None
    here = names.here(subject.place)
    before, after = names.members(here, subject.name, 1) if here else (None, None)
    if before is None or after is None or not names.is_upstream(after.owner.name):
        return None
    new, own = shorten(subject.finding.theirs), shorten(subject.finding.ours)
    message = f"{after.symbol} is now {new}, while the class here makes it {own}"
    return make_case(
        subject, ChangeKind.ATTRIBUTE_TYPE_CHANGED, after.symbol, Ground.TYPE_MAY_DIFFER, message
    )
