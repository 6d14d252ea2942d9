"""Calls that no longer fit what is called. A call fits equal signatures equally ill: if both upstream trees
have the same one, a checker that complains only now says nothing of upstream."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import wraps

from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.grounds import Ground
from syncbot.typecheck.judged_case import (
    Case,
    Judge,
    Subject,
    callee_of,
    changed_words,
    make_case,
    only_none,
    order,
    shorten,
)  # fmt: skip
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


def _on_call(judge: Callable[[Subject, _Call], Case | None]) -> Judge:
    """The judge of a finding from what is told by the upstream function that is called."""

    @wraps(judge)
    def judged(subject: Subject, names: Names) -> Case | None:
        call = _Call.of(subject, names)
        case = judge(subject, call) if call is not None else None
        return _dispatched(case, call, names, subject) if case is not None and call is not None else None

    return judged


@_on_call
def keyword_unknown(subject: Subject, call: _Call) -> Case | None:
    """A keyword is passed that the function no longer takes."""
    if call.after is not None and _takes(call.after, subject.name):
        return None
    if call.before is not None and not _takes(call.before, subject.name):
        return None
    message = f"{call.symbol} no longer takes {subject.name}, which is passed here"
    ground = Ground.ONE_SIDE_SEEN if call.before is None else Ground.CALL_DOES_NOT_BIND
    return make_case(
        subject, ChangeKind.PARAMETER_REMOVED, call.symbol, ground, message, proven=call.before is not None
    )


@_on_call
def argument_missing(subject: Subject, call: _Call) -> Case | None:
    """A parameter that is not passed became required."""
    required, name = _required(call.after), subject.name
    if call.after is not None and name not in required:
        return None
    ground = Ground.ONE_SIDE_SEEN if call.before is None else Ground.CALL_DOES_NOT_BIND
    fresh = sorted(required - _required(call.before))
    if call.before is not None and name not in fresh:
        # An argument inserted before others leaves the last of them without one, unless the message
        # names the new one too.
        said = set(re.findall(r"`(\w+)`", subject.finding.diagnostic.message))
        if not fresh or said & set(fresh) or _order_kept(call):
            return None
        name = fresh[0]
    message = f"{call.symbol} now requires {name}, which is not passed here"
    return make_case(
        subject, ChangeKind.PARAMETER_REQUIRED, call.symbol, ground, message, (name,) if name else (),
        proven=call.before is not None,
    )  # fmt: skip


@_on_call
def argument_surplus(subject: Subject, call: _Call) -> Case | None:
    """More positional arguments are passed than the function takes now."""
    message = f"{call.symbol} takes fewer positional arguments than are passed here"
    return _misplaced(subject, call, ChangeKind.PARAMETER_REMOVED, message)


@_on_call
def argument_twice(subject: Subject, call: _Call) -> Case | None:
    """A parameter is given by position and by name, since its position is another one now."""
    message = f"{call.symbol} has its parameters in another order: the call here gives {subject.name} twice"
    return _misplaced(subject, call, ChangeKind.PARAMETER_REORDERED, message)


def _misplaced(subject: Subject, call: _Call, kind: ChangeKind, message: str) -> Case | None:
    words = changed_words(call.before, call.after, call.symbol)
    case = make_case(subject, kind, call.symbol, Ground.WRONG_POSITIONS, message, words)
    return case if call.reordered else None


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
