"""Parameters that upstream takes under another name now, at the place where ours stands: who passes by place
does not see the name."""

from __future__ import annotations

from collections.abc import Sequence

from syncbot.api.model import Call, Parameter
from syncbot.api.signatures import Arguments, bind
from syncbot.contracts.annotation_differences import other_type
from syncbot.contracts.overrides.changed_function import ChangedFunction, place_of


def taken_as(change: ChangedFunction, parameter: Parameter, running: Sequence[Call]) -> str | None:
    """The parameter of ours, of a name that upstream had, into which all that is seen to call it passes by
    place what upstream takes under a new one."""
    place = place_of(change.new, parameter.name)
    if place is None or place >= len(change.ours.positional) or not running:
        return None
    mine = change.ours.positional[place].name
    given = all(call.positional > place and not call.starred for call in running)
    known_as = change.old.get(mine) if given and change.new.get(mine) is None else None
    return mine if known_as is not None and _is_alike(known_as, parameter) else None


def swallowing(
    change: ChangedFunction, name: str, previous: str | None, running: Sequence[Call]
) -> Call | None:
    """A call that passes by its new name what goes into the rest that ours takes by name, while nothing is
    passed for the old one, which ours requires."""
    mine = change.ours.get(previous) if previous is not None else None
    if mine is None or not mine.required:
        return None
    for call in running:
        given = Arguments(call.positional, call.keywords, call.starred, call.starred)
        lacking = {problem.name for problem in bind(change.ours, given) if problem.kind == "missing"}
        if name in call.keywords and mine.name in lacking:
            return call
    return None


def is_given_by_place(change: ChangedFunction, mine: Parameter, running: Sequence[Call]) -> bool:
    """Whether all that is seen to call ours fills the place of one of its parameters with what has another
    name upstream, and ours does not take by that name."""
    place = place_of(change.ours, mine.name)
    if place is None or place >= len(change.new.positional) or not running:
        return False
    theirs, known_as = change.new.positional[place], change.old.get(mine.name)
    if theirs.name in change.ours.names or known_as is None or not _is_alike(known_as, theirs):
        return False
    return all(c.positional > place and not c.starred for c in running)


def taken_for(change: ChangedFunction, parameter: Parameter, previous: str) -> str | None:
    """Return what ours takes a parameter for, in words, that has another name upstream than ``previous`` and
    another type: the one at its place here has the old name, or is declared as that was."""
    place, was = place_of(change.new, parameter.name), change.old.get(previous)
    if place is None or place >= len(change.ours.positional) or was is None or _is_alike(was, parameter):
        return None
    mine = change.ours.positional[place]
    kept = mine.annotation is None and mine.name == previous
    if not kept and (mine.annotation is None or other_type(parameter.annotation, mine.annotation) != "type"):
        return None
    taken = mine.annotation or was.annotation
    return f"{parameter.name} is {parameter.annotation}, and {mine.name} here {taken}"


def _is_alike(old: Parameter, new: Parameter) -> bool:
    """Whether nothing says that a parameter under a new name takes something else."""
    return other_type(old.annotation, new.annotation) != "type"
