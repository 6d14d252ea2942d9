"""Methods of the backend whose name upstream gives to one of its own: upstream's calls reach ours by then."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TypeVar

from syncbot.api.methods import definition, is_property, method_signature
from syncbot.api.model import Call, Function
from syncbot.api.signatures import Arguments, Signature, bind
from syncbot.api.symbols import Member, Symbol
from syncbot.contracts.changes import ChangeKind, MemberDetails
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.grounds import Ground
from syncbot.contracts.inference.named_values import named_in
from syncbot.contracts.model import Contract, Finding, Location

C = TypeVar("C", bound=Contract)


def introduced(contract: C, old: Symbol, new: Symbol, pair: Comparison) -> Iterator[Finding]:
    """Findings for the methods of a class, as both trees have it, that upstream newly has too, and calls with
    what ours do not take."""
    body = pair.new.body(new)
    own = pair.new.tree_of(new.module) is pair.own_tree
    names = {f.name for f in body.functions} if body is not None and own else set()
    for name in sorted(n for n in names if not n.startswith("__")):
        mine, theirs = pair.new.member(new, name), pair.new.member(new, name, 1)
        if (
            mine is None
            or theirs is None
            or not theirs.functions
            or pair.new.tree_of(theirs.owner.module) is not pair.new_tree
        ):
            continue
        ours, first = definition(mine.functions), definition(theirs.functions)
        if pair.old.member(old, name, 1) is not None or is_property(ours) or is_property(first):
            continue
        call = _refused(theirs, method_signature(ours), method_signature(first), new, pair)
        if call is not None:
            reason = (
                f"upstream now has {theirs.symbol}() and calls it ({call.scope}, line {call.line}) with what "
                f"the method of that name in {new.qualname} does not take"
            )
            yield Finding(
                at_method(contract, ours, new), ChangeKind.METHOD_INTRODUCED, theirs.symbol,
                Ground.NEWLY_PASSED, reason, subject=name,
                details=MemberDetails(name=name, base=theirs.owner.name),
            )  # fmt: skip


def _refused(
    theirs: Member, ours: Signature, signature: Signature, own: Symbol, pair: Comparison
) -> Call | None:
    """A call that runs, fits upstream's method and reaches ours, which it does not fit."""
    lineage = {c.name for c in pair.new.lineage(own).classes}
    for module, call in pair.new_usage.calls(pair.changed, theirs.name):
        if not _reaches(call, module, theirs.name, lineage, pair):
            continue
        arguments = Arguments(call.positional, call.keywords, call.starred, call.starred)
        if bind(signature, arguments) or not bind(ours, arguments):
            continue
        if not pair.shadows.hide(module, call.scope):
            return call
    return None


def _reaches(call: Call, module: str, name: str, lineage: set[str], pair: Comparison) -> bool:
    """Whether a call is one of an object of such a class: its own, or one that is declared to be one."""
    receiver = call.callee.rpartition(".")[0]
    if receiver == "self":
        return f"{module}.{call.scope.rpartition('.')[0]}" in lineage
    value = named_in(pair.in_new, module, call.scope, receiver) if receiver else None
    return value is not None and value.instance and value.symbol.name in lineage


def at_method(contract: C, method: Function, own: Symbol) -> C:
    """The contract at the method's own line."""
    place = contract.place
    location = Location(place.location.file, method.line, place.location.column)
    return replace(contract, place=replace(place, location=location, scope=f"{own.qualname}.{method.name}"))
