"""Values that upstream now gives in another shape."""

from __future__ import annotations

from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.grounds import Ground
from syncbot.typecheck.judged_case import Case, Subject, called, make_case, only_none, shorten, union_of
from syncbot.typecheck.printed_names import Names


def unpack(subject: Subject, names: Names) -> Case | None:
    """A tuple has another size than what it is unpacked into."""
    symbol = called(subject, names)
    if symbol is None:
        return None
    message = f"{symbol} returns a tuple of another size than the {subject.finding.ours} values unpacked here"
    return make_case(subject, ChangeKind.RETURN_SHAPE_CHANGED, symbol, Ground.UNPACKED_FOR_CHECKER, message)


def not_iterable(subject: Subject, names: Names) -> Case | None:
    """A value can no longer be iterated."""
    theirs = subject.finding.theirs
    symbol = called(subject, names)
    owners = names.classes(theirs, subject.place)
    symbol = symbol or next((o for o in owners if names.is_upstream(o)), None)
    if symbol is None:
        return None
    if "None" in union_of(theirs):
        message = f"what {symbol} gives here may now be None, which cannot be iterated"
        return make_case(subject, ChangeKind.RETURN_SHAPE_CHANGED, symbol, Ground.TYPE_MAY_DIFFER, message)
    message = f"what {symbol} gives here is now {shorten(theirs)}, which cannot be iterated or unpacked"
    return make_case(subject, ChangeKind.RETURN_SHAPE_CHANGED, symbol, Ground.RESULT_NOT_GIVEN, message)


def deprecated(subject: Subject, names: Names) -> Case | None:
    """A name became deprecated."""
    owner = subject.finding.owner
    if not owner or not names.is_upstream(owner):
        return None
    symbol = f"{owner}.{subject.name}"
    return make_case(subject, ChangeKind.DEPRECATED, symbol, Ground.NOT_MEANT, f"{symbol} is now deprecated")


def value_type(subject: Subject, names: Names) -> Case | None:
    """A returned value has another type."""
    symbol = called(subject, names)
    theirs, ours = subject.finding.theirs, subject.finding.ours
    if symbol is None or not ours or only_none(ours, theirs) or union_of(ours) & union_of(theirs):
        return None
    message = f"{symbol} now returns {shorten(ours)}, which does not fit {shorten(theirs)} here"
    return make_case(subject, ChangeKind.RETURN_SHAPE_CHANGED, symbol, Ground.TYPE_MAY_DIFFER, message)
