"""Classes and functions here that no longer fit the ones they derive from or replace."""

from __future__ import annotations

from dataclasses import replace

from syncbot.api.signatures import BindProblem, bind
from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.grounds import Ground
from syncbot.typecheck.judged_case import Case, Subject, make_case, shorten, union_of
from syncbot.typecheck.model import Problem
from syncbot.typecheck.printed_names import Caller, Names
from syncbot.typecheck.printed_signatures import Misfit, Printed, misfits, parse

_RARE = 4


def override(subject: Subject, names: Names) -> Case | None:
    """A method no longer fits the one it overrides."""
    here, method = names.here(subject.place), subject.name
    if here is None:
        return None
    before, after = names.members(here, method, 1)
    if after is None or not names.is_upstream(after.owner.name):
        return None
    defined = names.members(here, method)[1]
    # What only raises NotImplementedError is not there to be called.
    if defined is not None and defined.functions and defined.functions[-1].unimplemented:
        return None
    mine = names.function(names.new, f"{here}.{method}")
    theirs = names.function(names.new, after.symbol)
    was = names.function(names.old, before.symbol) if before is not None else None
    if mine is None or theirs is None:
        return None
    if fresh := _fresh(mine, was, theirs):
        held = _is_held_by_own(names, here, method)
        return _misfit_case(subject, names, after.symbol, fresh, was, mine, theirs, held=held)
    return _other_result(subject, after.symbol, was, theirs)


def _fresh(ours: Printed, was: Printed | None, theirs: Printed) -> list[Misfit]:
    """Return the misfits that are new, wherever the parameter is."""
    known = {(m.kind, m.name) for m in misfits(ours, was)} if was is not None else set()
    return [m for m in misfits(ours, theirs) if (m.kind, m.name) not in known]


def _other_result(subject: Subject, symbol: str, was: Printed | None, theirs: Printed) -> Case | None:
    """Return a case if the override's result no longer fits the declared result of the overridden method."""
    printed = parse(subject.finding.theirs), parse(subject.finding.ours)
    returns = [p.returns if p is not None else "" for p in printed]
    if all(returns) and was is not None and was.returns != theirs.returns:
        # What returned nothing where something was asked for before does not fit anew.
        asked_before = was.returns not in ("", "None") and "None" not in union_of(was.returns)
        if returns[1] == "None" and asked_before:
            return None
        if returns[1] == "None" and "None" not in union_of(returns[0]):
            message = f"{symbol} now returns {shorten(returns[0])}, while the override here returns nothing"
            return make_case(
                subject, ChangeKind.RETURN_SHAPE_CHANGED, symbol, Ground.SIGNATURE_REQUIRES, message
            )
        if not union_of(returns[0]) & union_of(returns[1]):
            new, own = shorten(returns[0]), shorten(returns[1])
            message = f"{symbol} now returns {new}, while the override here returns {own}"
            return make_case(subject, ChangeKind.RETURN_SHAPE_CHANGED, symbol, Ground.DECLARED, message)
    return None


def replacement(subject: Subject, names: Names) -> Case | None:
    """A function no longer fits the one it replaces."""
    target = subject.place.assigns(subject.name)
    symbol = names.old.local(subject.place.file.module, target) if target else None
    ours, theirs = parse(subject.finding.ours), parse(subject.finding.theirs)
    if target is None or symbol is None or ours is None or theirs is None:
        return None
    if not names.is_upstream(symbol.name):
        return None
    was = names.function(names.old, symbol.name)
    fresh = _fresh(ours, was, theirs)
    owner = names.old.local(subject.place.file.module, target.rpartition(".")[0])
    where = owner.module if owner is not None and owner.kind == "module" else ""
    if not fresh:
        return None
    held = not where and _is_held_by_own(names, *symbol.name.rpartition(".")[::2])
    return _misfit_case(subject, names, symbol.name, fresh, was, ours, theirs, where, held)


def _is_held_by_own(names: Names, class_: str, method: str) -> bool:
    """Whether the objects of a class are called by methods of the backend alone."""
    found = names.new.resolve(class_)
    return found is not None and found.kind == "class" and names.shadows.are_held_by_own(found, method)


def _misfit_case(
    subject: Subject,
    names: Names,
    symbol: str,
    fresh: list[Misfit],
    was: Printed | None,
    ours: Printed,
    theirs: Printed,
    where: str = "",
    held: bool = False,
) -> Case | None:
    # Only what upstream called otherwise before was renamed there.
    fresh = [
        replace(m, kind="unaccepted")
        if m.kind == "renamed" and was is not None and was.named(m.other) is None
        else m
        for m in fresh
    ]
    here = "override" if subject.finding.problem is Problem.OVERRIDE else "replacement"
    calls = _calls(names, symbol, theirs, where)
    failing = _failing(subject, names, symbol, fresh, here, calls, ours, held)
    if failing is not None:
        return failing
    hidden = held or (bool(calls) and not any(map(names.runs, calls)))
    return _doubt(subject, symbol, fresh[0], here, hidden)


def _failing(
    subject: Subject,
    names: Names,
    symbol: str,
    fresh: list[Misfit],
    here: str,
    calls: list[Caller],
    ours: Printed,
    held: bool,
) -> Case | None:
    """Return a case for a misfit that fails a caller, or a required one without a caller; else None."""
    failing = [(c, p) for c in calls if (p := bind(ours, c.arguments)) and names.runs(c)]
    for misfit in fresh:
        if misfit.kind == "required" and (
            (not calls and not held) or any(p.kind == "missing" for _, ps in failing for p in ps)
        ):
            message = f"callers of {symbol} no longer pass {misfit.name}, which the {here} here requires"
            ground = Ground.DEAD_OVERRIDE if calls else Ground.NO_CALLER_SEEN
            case = make_case(subject, ChangeKind.PARAMETER_REMOVED, symbol, ground, message, (misfit.name,))
            return replace(case, proven=True, lacks=misfit.name)
    for misfit in fresh:
        if misfit.kind in ("unaccepted", "renamed") and (
            caller := _passed(names, symbol.rpartition(".")[2], misfit, calls, failing)
        ):
            message = f"{caller} passes {misfit.name} to {symbol}, which the {here} here does not take"
            kind = ChangeKind.PARAMETER_ADDED if misfit.kind == "unaccepted" else ChangeKind.PARAMETER_RENAMED
            case = make_case(subject, kind, symbol, Ground.CALLER_SHOWS, message, (misfit.name,))
            return replace(case, proven=True, shows=misfit.name)
    return None


def _doubt(subject: Subject, symbol: str, first: Misfit, here: str, hidden: bool) -> Case:
    """Return a case for a misfit that is not seen to fail: no caller passes it so, or none that runs."""
    kind, ground = ChangeKind.PARAMETER_ADDED, Ground.NOT_PASSED_YET
    message = (
        f"{symbol} takes {first.name} now; the {here} here does not, and no upstream caller passes it yet"
    )
    if first.kind == "renamed":
        kind, ground = ChangeKind.PARAMETER_RENAMED, Ground.CALLERS_FIT
        message = f"{symbol} calls its parameter {first.other} {first.name} now; the {here} here does not"
    elif first.kind == "default":
        kind, ground = ChangeKind.PARAMETER_DEFAULT_ADDED, Ground.NOT_MEANT
        message = f"{symbol} gives {first.name} a default; the {here} here requires it"
    elif first.kind == "required":
        kind, ground = ChangeKind.PARAMETER_REMOVED, Ground.CALLERS_FIT
        message = f"{symbol} has no {first.name} now, which the {here} here requires"
        message += ", but all that calls it gives way to the project" if hidden else ", but its callers fit"
    case = make_case(subject, kind, symbol, ground, message, (first.name,))
    if first.kind == "required":
        return replace(case, proven=True, lacks=first.name)
    return replace(case, proven=True, shows="" if first.kind == "default" else first.name)


def _calls(names: Names, symbol: str, theirs: Printed, where: str) -> list[Caller]:
    """The upstream calls that can mean a symbol and fit it; by name alone in ``where`` (a replaced name)."""
    home, _, function = symbol.rpartition(".")
    found: list[Caller] = []
    for caller in names.callers(function):
        by_name = not caller.receiver
        if (by_name and not where) or where not in ("", home, caller.module):
            continue
        if bind(theirs, caller.arguments):
            continue
        named = None if by_name else names.new.local(caller.module, caller.receiver)
        if where or named is None or named.kind != "class":
            found.append(caller)
            continue
        # A class named outright is called itself, unless the backend's own stands under that name.
        written = (f"{caller.module}.{caller.receiver}", named.name)
        if any(map(names.shadows.takes_the_name, written)):
            found.append(caller)
    return found


def _passed(
    names: Names,
    function: str,
    misfit: Misfit,
    calls: list[Caller],
    failing: list[tuple[Caller, tuple[BindProblem, ...]]],
) -> str | None:
    """The upstream module that passes the parameter in a call that fails here for it."""
    for caller, problems in failing:
        concerned = any(problem.name in (misfit.name, misfit.other) for problem in problems)
        if concerned and misfit.name in caller.arguments.keywords:
            return caller.module
    # Many classes have a method of a common name; a call by position may be any of theirs.
    at = misfit.position
    if at is None or misfit.kind != "unaccepted" or names.definitions(function) > _RARE:
        return None
    by_place = (caller for caller in calls if caller.arguments.positional > at)
    return next((caller.module for caller in by_place if names.runs(caller)), None)


def abstract(subject: Subject, names: Names) -> Case | None:
    """A base class has a new abstract method."""
    for owner in names.classes(subject.finding.owner, subject.place):
        before, after = names.members(owner, subject.name)
        if after is not None and names.is_upstream(after.owner.name):
            message = (
                f"{after.symbol} is now abstract, and {owner.rpartition('.')[2]} here does not define it"
            )
            return make_case(
                subject, ChangeKind.ABSTRACT_METHOD_ADDED, after.symbol, Ground.ABSTRACT_FOR_CHECKER, message,
                proven=before is None,
            )  # fmt: skip
    return None
