"""Calls that no longer fit what is called.

Where both upstream trees have the same signature, the call fits it as little as before: that a checker
only sees it now (the type of a receiver became known) says nothing of the upstream.
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, replace

from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.grounds import Ground
from syncbot.typecheck.judged_case import (
    Case,
    Subject,
    callee_of,
    changed_words,
    make_case,
    only_none,
    order,
    shorten,
)
from syncbot.typecheck.printed_names import Names
from syncbot.typecheck.printed_signatures import Printed


@dataclass(frozen=True, slots=True)
class _Call:
    """A called upstream function: as called, as reported, and its signatures where they are known."""

    callee: str
    symbol: str
    before: Printed | None
    after: Printed | None

    @staticmethod
    def of(subject: Subject, names: Names) -> _Call | None:
        callee = callee_of(subject, names)
        if callee is None:
            return None
        symbol = names.parameter_home(callee, subject.name)
        if not names.is_upstream(symbol) or names.reaches_own(subject.place, callee):
            return None
        return _Call(callee, symbol, names.function(names.old, callee), names.function(names.new, callee))

    @property
    def reordered(self) -> bool:
        return self.before is None or self.after is None or order(self.before) != order(self.after)


def keyword_unknown(subject: Subject, names: Names) -> Case | None:
    """A keyword is passed that the function no longer takes."""
    call = _Call.of(subject, names)
    if call is None or (call.after is not None and _takes(call.after, subject.name)):
        return None
    message = f"{call.symbol} no longer takes {subject.name}, which is passed here"
    if call.before is None:
        case = make_case(subject, ChangeKind.PARAMETER_REMOVED, call.symbol, Ground.ONE_SIDE_SEEN, message)
    elif _takes(call.before, subject.name):
        case = make_case(
            subject, ChangeKind.PARAMETER_REMOVED, call.symbol, Ground.CALL_DOES_NOT_BIND, message,
            proven=True,
        )  # fmt: skip
    else:
        return None
    return _dispatched(case, call, names, subject)


def argument_missing(subject: Subject, names: Names) -> Case | None:
    """A parameter that is not passed became required."""
    call = _Call.of(subject, names)
    if call is None:
        return None
    required = _required(call.after)
    fresh = sorted(required - _required(call.before))
    if call.after is not None and subject.name not in required:
        return None
    if call.before is None:
        message = f"{call.symbol} now requires {subject.name}, which is not passed here"
        case = make_case(subject, ChangeKind.PARAMETER_REQUIRED, call.symbol, Ground.ONE_SIDE_SEEN, message)
        return _dispatched(case, call, names, subject)
    name = subject.name
    if name not in fresh:
        # An argument inserted before others leaves the last of them without one, unless the message
        # names the new one too.
        said = set(re.findall(r"`(\w+)`", subject.finding.diagnostic.message))
        if not fresh or said & set(fresh) or _order_kept(call):
            return None
        name = fresh[0]
    message = f"{call.symbol} now requires {name}, which is not passed here"
    case = make_case(
        subject, ChangeKind.PARAMETER_REQUIRED, call.symbol, Ground.CALL_DOES_NOT_BIND, message, (name,),
        proven=True,
    )  # fmt: skip
    return _dispatched(case, call, names, subject)


def argument_surplus(subject: Subject, names: Names) -> Case | None:
    """More positional arguments are passed than the function takes now."""
    call = _Call.of(subject, names)
    if call is None or not call.reordered:
        return None
    message = f"{call.symbol} takes fewer positional arguments than are passed here"
    words = changed_words(call.before, call.after, call.symbol)
    case = make_case(
        subject, ChangeKind.PARAMETER_REMOVED, call.symbol, Ground.WRONG_POSITIONS, message, words
    )
    return _dispatched(case, call, names, subject)


def argument_twice(subject: Subject, names: Names) -> Case | None:
    """A parameter is given by position and by name, since its position is another one now."""
    call = _Call.of(subject, names)
    if call is None or not call.reordered:
        return None
    message = f"{call.symbol} has its parameters in another order: the call here gives {subject.name} twice"
    words = changed_words(call.before, call.after, call.symbol)
    case = make_case(
        subject, ChangeKind.PARAMETER_REORDERED, call.symbol, Ground.WRONG_POSITIONS, message, words
    )
    return _dispatched(case, call, names, subject)


def argument_type(subject: Subject, names: Names) -> Case | None:
    """An argument is of another type than the parameter it lands in."""
    finding, callee = subject.finding, callee_of(subject, names)
    if callee is None or finding.ours.startswith("Self@"):
        return None
    if not names.is_upstream(callee):
        return _own_function(subject, callee)
    if names.reaches_own(subject.place, callee):
        return None
    call = _Call(callee, callee, names.function(names.old, callee), names.function(names.new, callee))
    if call.before is None or call.after is None:
        return None
    moved = not subject.name or _index(call.before, subject.name) != _index(call.after, subject.name)
    if call.reordered and moved and subject.name and subject.place.names(subject.name):
        return None
    if call.reordered and moved and not subject.place.is_keyword:
        into = subject.name or "another one"
        message = f"{callee} has its parameters in another order: the argument here lands in {into}"
        words = changed_words(call.before, call.after, callee)
        case = make_case(
            subject, ChangeKind.PARAMETER_REORDERED, callee, Ground.LANDS_ELSEWHERE, message, words
        )
        return _dispatched(case, call, names, subject)
    if subject.name and _annotation(call.before, subject.name) != _annotation(call.after, subject.name):
        theirs, ours = shorten(finding.theirs), shorten(finding.ours)
        message = f"{callee} now wants {theirs} for {subject.name}, and gets {ours} here"
        return make_case(subject, ChangeKind.PARAMETER_TYPE_CHANGED, callee, Ground.DECLARED, message)
    return None


def _own_function(subject: Subject, callee: str) -> Case | None:
    """A value from upstream is passed to a function of the backend, and is of another type now."""
    finding = subject.finding
    if only_none(finding.ours, finding.theirs):
        return None
    message = f"what is passed here to {callee} is now {shorten(finding.ours)}, which it does not take"
    words = tuple(re.findall(r"[A-Z]\w+", finding.ours)) or (subject.name,)
    return make_case(
        subject, ChangeKind.VALUE_TYPE_CHANGED, callee, Ground.ONLY_KNOWN_NOW, message, words, ("",)
    )


def _dispatched(case: Case, call: _Call, names: Names, subject: Subject) -> Case:
    """A call through a base class may reach the backend's own override, which fits it."""
    method = call.callee.rpartition(".")[2]
    receivers = [
        f.value for c in subject.place.calls() if isinstance(f := c.func, ast.Attribute) and f.attr == method
    ]
    override = names.overrider(call.callee)
    override = override or next(filter(None, (names.own_behind(r, method) for r in receivers)), None)
    if override is None or _on_super(subject):
        return case
    message = f"{case.message}, unless {override} is what is called"
    return replace(case, ground=Ground.DISPATCHED, confidence=Ground.DISPATCHED.share, message=message)


def _on_super(subject: Subject) -> bool:
    calls = (call.func for call in subject.place.calls())
    return any(isinstance(f, ast.Name) and f.id == "super" for f in calls)


def _takes(signature: Printed, name: str) -> bool:
    return signature.has("**") or signature.named(name) is not None


def _required(signature: Printed | None) -> set[str]:
    return {p.name for p in signature.parameters if p.required} if signature is not None else set()


def _order_kept(call: _Call) -> bool:
    """Whether no new parameter stands before an old one."""
    if call.before is None or call.after is None:
        return False
    before = order(call.before)
    return order(call.after)[: len(before)] == before


def _index(signature: Printed, name: str) -> int | None:
    names = order(signature)
    return names.index(name) if name in names else None


def _annotation(signature: Printed, name: str) -> str | None:
    return next((p.annotation for p in signature.parameters if p.name == name), None)
