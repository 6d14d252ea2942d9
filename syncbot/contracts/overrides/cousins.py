"""Methods that no base declares, and that classes of upstream's with the same base have as well: where all of
these take something else now, upstream calls them otherwise, on whatever object it holds."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

from syncbot.api.methods import definition, is_property, method_signature
from syncbot.api.model import Call, Function
from syncbot.api.signatures import Signature
from syncbot.api.symbols import Member, Symbol
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.grounds import Ground
from syncbot.contracts.inference.expressions import Inference
from syncbot.contracts.model import Contract, Finding
from syncbot.contracts.overrides.callers import fits, may_be_asked_of
from syncbot.contracts.overrides.classes_beside import classes_beside
from syncbot.contracts.overrides.introduced_methods import at_method
from syncbot.contracts.overrides.replacement_fit import compare_replacement
from syncbot.contracts.overrides.structural_protocols import own_calls
from syncbot.contracts.overrides.upstream_tests import is_test

C = TypeVar("C", bound=Contract)

#: One class may have the method for something of its own.
_SEVERAL = 2


def unlike_cousins(contract: C, old: Symbol, new: Symbol, pair: Comparison) -> Iterator[Finding]:
    """Findings for the methods of a class, as both trees have it, that take what all others of that name took
    and do not take what they take now."""
    for function in _only_here(old, new, pair):
        ours = method_signature(function)
        taken = [c for c in _calls(function.name, new, pair.in_old, pair) if fits(ours, c)]
        later = _calls(function.name, new, pair.in_new, pair)
        # What still calls it as before may be what calls ours.
        if not taken or not later or any(fits(ours, call) for call in later):
            continue
        cousins = _cousins(function.name, new, taken, pair)
        fitting = [call for call in later if all(fits(_signature(now), call) for _, now in cousins)]
        if len(cousins) < _SEVERAL or not fitting:
            continue
        told: dict[tuple[str, str], list[Finding]] = defaultdict(list)
        for before, after in cousins:
            there = at_method(contract, function, new)
            for found in compare_replacement(
                there, function, definition(before.functions), definition(after.functions), after.symbol,
                after.owner, pair, new,
            ):  # fmt: skip
                told[found.kind, found.subject].append(found)
        for several in told.values():
            if len(several) == len(cousins):
                yield _as_told(several[0], function, cousins[0][1], len(cousins), pair)


def _as_told(found: Finding, function: Function, other: Member, count: int, pair: Comparison) -> Finding:
    """Return what was found of one of them, in words for all; a risk where the backend calls it as before."""
    reason = found.reason.replace("this override", "the method here")
    told = replace(
        found, reason=f"{reason}; all {count} classes of upstream's that have it beside this did so"
    )
    ours = method_signature(function)
    if any(fits(ours, call) for call in own_calls(function, definition(other.functions), pair)):
        return told.doubted(Ground.DOUBTED, "; but the project calls it itself, with what it takes")
    return told


def _only_here(old: Symbol, new: Symbol, pair: Comparison) -> Iterator[Function]:
    """The methods of a class that no base of it has, and that others may call."""
    body = pair.new.body(new) if pair.new.tree_of(new.module) is pair.own_tree else None
    for function in body.functions if body is not None else ():
        name = function.name
        if name.startswith("_") or name in pair.asked_by_name or is_property(function):
            continue
        if function.unimplemented or not any(pair.mentioning(f"def {name}(")):
            continue
        if pair.old.member(old, name, 1) is None and pair.new.member(new, name, 1) is None:
            yield function


def _cousins(name: str, own: Symbol, calls: Sequence[Call], pair: Comparison) -> list[tuple[Member, Member]]:
    """The methods of that name of upstream's classes that derive from what a class derives from, and took one
    of the calls, as they were and are; empty where one of them takes what it took."""
    found = []
    for after in classes_beside(own, name, pair):
        before = pair.old.local(after.module, after.qualname)
        was = pair.old.member(before, name) if before is not None else None
        now = pair.new.member(after, name)
        if was is None or now is None or not was.functions or not now.functions:
            continue
        if not any(fits(_signature(was), call) for call in calls):
            continue
        if _signature(was) == _signature(now):
            return []
        found.append((was, now))
    return found


def _signature(member: Member) -> Signature:
    return method_signature(definition(member.functions))


def _calls(name: str, own: Symbol, inference: Inference, pair: Comparison) -> list[Call]:
    """Upstream's calls of that name in modules that differ, of what may be an object of a class."""
    side = pair.side(old=inference is pair.in_old)
    return [
        call
        for module, call in side.usage.calls(side.differing, name)
        if call.callee.rpartition(".")[0] not in ("", "self", "super()")
        and not is_test(module)
        and may_be_asked_of(own, module, call, inference)
    ]
