"""Classes and functions here that no longer fit the ones they derive from or replace."""

from __future__ import annotations

from dataclasses import replace

from syncbot.impact.typecheck.case import (
    AT_RISK,
    BREAKS,
    Case,
    Subject,
    make_case,
    shorten,
    union_of,
)
from syncbot.impact.typecheck.model import Problem
from syncbot.impact.typecheck.names import Names
from syncbot.impact.typecheck.signatures import Misfit, Printed, misfits, parse

_RARE = 4


def override(subject: Subject, names: Names) -> Case | None:
    """A method no longer fits the one it overrides."""
    here, method = names.here(subject.place), subject.name
    if here is None:
        return None
    before, after = names.members(here, method, 1)
    if after is None or not names.is_upstream(after.owner.name):
        return None
    mine = names.function(names.new, f"{here}.{method}")
    theirs = names.function(names.new, after.symbol)
    was = names.function(names.old, before.symbol) if before is not None else None
    if mine is None or theirs is None:
        return None
    # Where a parameter stands is left out: what did not fit before does not fit anew for having moved.
    known = {(m.kind, m.name) for m in misfits(mine, was)} if was is not None else set()
    fresh = [m for m in misfits(mine, theirs) if (m.kind, m.name) not in known]
    if fresh:
        return _misfit_case(subject, names, after.symbol, fresh, was, theirs)
    printed = parse(subject.finding.theirs), parse(subject.finding.ours)
    returns = [p.returns if p is not None else "" for p in printed]
    if all(returns) and was is not None and was.returns != theirs.returns:
        if returns[1] == "None" and "None" not in union_of(returns[0]):
            message = (
                f"{after.symbol} now returns {shorten(returns[0])}, while the override here returns nothing"
            )
            return make_case(subject, "return-shape-changed", after.symbol, BREAKS, 0.8, message)
        if not union_of(returns[0]) & union_of(returns[1]):
            new, own = shorten(returns[0]), shorten(returns[1])
            message = f"{after.symbol} now returns {new}, while the override here returns {own}"
            return make_case(subject, "return-shape-changed", after.symbol, AT_RISK, 0.5, message)
    return None


def replacement(subject: Subject, names: Names) -> Case | None:
    """A function no longer fits the one it replaces."""
    target = subject.place.assigns(subject.name)
    symbol = names.old.local(subject.place.file.module, target) if target else None
    ours, theirs = parse(subject.finding.ours), parse(subject.finding.theirs)
    if symbol is None or not names.is_upstream(symbol.name) or ours is None or theirs is None:
        return None
    was = names.function(names.old, symbol.name)
    known = {(m.kind, m.name) for m in misfits(ours, was)} if was is not None else set()
    fresh = [m for m in misfits(ours, theirs) if (m.kind, m.name) not in known]
    return _misfit_case(subject, names, symbol.name, fresh, was, theirs) if fresh else None


def _misfit_case(
    subject: Subject,
    names: Names,
    symbol: str,
    fresh: list[Misfit],
    was: Printed | None,
    theirs: Printed,
) -> Case | None:
    # Only what upstream called otherwise before was renamed there.
    fresh = [
        replace(m, kind="unaccepted")
        if m.kind == "renamed" and was is not None and was.named(m.other) is None
        else m
        for m in fresh
    ]
    here = "override" if subject.finding.problem is Problem.OVERRIDE else "replacement"
    for misfit in fresh:
        if misfit.kind == "required":
            message = f"callers of {symbol} no longer pass {misfit.name}, which the {here} here requires"
            case = make_case(subject, "parameter-removed", symbol, BREAKS, 0.85, message, (misfit.name,))
            return replace(case, proven=True, lacks=misfit.name)
    for misfit in fresh:
        if misfit.kind in ("unaccepted", "renamed") and (
            caller := _passed(names, symbol.rpartition(".")[2], misfit, theirs)
        ):
            message = f"{caller} passes {misfit.name} to {symbol}, which the {here} here does not take"
            kind = "parameter-added" if misfit.kind == "unaccepted" else "parameter-renamed"
            case = make_case(subject, kind, symbol, BREAKS, 0.9, message, (misfit.name,))
            return replace(case, proven=True, shows=misfit.name)
    first = fresh[0]
    kind, confidence, message = (
        "parameter-added",
        0.5,
        (f"{symbol} takes {first.name} now; the {here} here does not, and no upstream caller passes it yet"),
    )
    if first.kind == "renamed":
        kind, confidence = "parameter-renamed", 0.4
        message = f"{symbol} calls its parameter {first.other} {first.name} now; the {here} here does not"
    elif first.kind == "default":
        kind, confidence = "parameter-default-added", 0.3
        message = f"{symbol} gives {first.name} a default; the {here} here requires it"
    case = make_case(subject, kind, symbol, AT_RISK, confidence, message, (first.name,))
    return replace(case, proven=True, shows="" if first.kind == "default" else first.name)


def _passed(names: Names, function: str, misfit: Misfit, theirs: Printed) -> str | None:
    """The upstream module that passes the parameter in a call which suits the whole signature."""
    # Many classes have a method of a common name; a call by position may be any of theirs.
    telling = names.definitions(function) <= _RARE
    for module, arguments in names.callers(function):
        call = parse(f"({arguments})")
        if call is None:
            continue
        given = [p.name for p in call.parameters if p.kind in ("any", "key") and p.default is not None]
        positional = [p for p in call.parameters if p.kind == "any" and p.default is None]
        if not theirs.has("**") and any(theirs.named(name) is None for name in given):
            continue
        if not theirs.has("*") and len(positional) > len(theirs.positional):
            continue
        if misfit.name in given:
            return module
        at = misfit.position
        if telling and misfit.kind == "unaccepted" and at is not None and len(positional) > at:
            return module
    return None


def abstract(subject: Subject, names: Names) -> Case | None:
    """A base class has a new abstract method."""
    for owner in names.classes(subject.finding.owner, subject.place):
        before, after = names.members(owner, subject.name)
        if after is not None and names.is_upstream(after.owner.name):
            message = (
                f"{after.symbol} is now abstract, and {owner.rpartition('.')[2]} here does not define it"
            )
            return make_case(
                subject, "abstract-method-added", after.symbol, BREAKS, 0.93, message, proven=before is None
            )
    return None
