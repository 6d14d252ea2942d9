"""Overrides of a method that upstream no longer has: does anybody call them?"""

from __future__ import annotations

import re
from collections.abc import Iterator

from syncbot.api.methods import definition, is_property, method_signature
from syncbot.api.model import Call, Function
from syncbot.api.symbols import Member, Symbol
from syncbot.contracts.changes import ChangeKind, MemberDetails
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.grounds import Ground
from syncbot.contracts.model import Contract, Finding
from syncbot.contracts.overrides.callers import fits, may_be_asked_of
from syncbot.contracts.overrides.empty_bodies import does_nothing

# What Python itself calls, and the level of a module, which has no name.
_SPECIAL = re.compile(r"__\w+__|")


def orphaned(
    contract: Contract, before: Member, pair: Comparison, ours: Function, own: Symbol | None = None
) -> Iterator[Finding]:
    """The replaced method is gone: upstream may never call ours, in the class ``own``, unless the language
    does."""
    if before.name.startswith("__") and before.name.endswith("__"):
        return
    was, now = _asked(before, pair, ours, own)
    moved, renamed = pair.same_body(before), pair.renamed_member(before)
    private = before.name.startswith("_")
    reason = f"{before.symbol} no longer exists"
    called_here = _is_called_here(before, pair, moved is None)
    ground = Ground.DOUBTED if called_here else Ground.DEAD_OVERRIDE
    if moved is not None:
        reason += f" (the same body is now {moved.name}): upstream never calls this override again"
    elif was and not now:
        reason += ": upstream called it and does not any more, so this override is dead"
    elif now:
        return
    else:
        reason += ": this override may be dead"
        ground = Ground.DOUBTED if private else Ground.NO_CALLER_EVER
    if called_here:
        reason += "; the project calls it itself"
    elif (library := _handed_to_library(contract, ours, pair)) is not None:
        reason, ground = (
            f"{reason}; it hands on to {library}, which upstream may call by itself",
            Ground.DOUBTED,
        )
    elif does_nothing(ours):
        reason, ground = f"{reason}; this override does nothing", Ground.DOUBTED
    kind = ChangeKind.METHOD_RENAMED if renamed else ChangeKind.METHOD_REMOVED
    yield Finding(
        contract, kind, before.symbol, ground, reason, subject=before.name,
        details=MemberDetails(name=before.name, new=renamed, base=before.owner.name),
    )  # fmt: skip


def _asked(before: Member, pair: Comparison, ours: Function, own: Symbol | None) -> tuple[bool, bool]:
    """Whether upstream asked for what ours stands in for, and whether it still does."""
    if is_property(definition(before.functions)):
        return _is_read_no_more(before.name, pair), False
    # What passes other arguments than ours and upstream's own took is asked of another class.
    known = [method_signature(function) for function in (ours, definition(before.functions))]
    calls = pair.old_usage.calls((*pair.changed, *pair.removed), before.name)
    fitting = [call for _, call in calls if any(fits(signature, call) for signature in known)]
    was = any(not _is_left(call, pair) for call in fitting)
    now = any(
        any(fits(signature, call) for signature in known)
        and (own is None or may_be_asked_of(own, module, call, pair.in_new))
        for module, call in pair.new_usage.calls(pair.changed, before.name)
    )
    return was, now


def _is_left(call: Call, pair: Comparison) -> bool:
    """Whether a class method asked for another one, and nothing anywhere named it: methods of objects are
    called by whoever uses the backend, too."""
    name = call.scope.rpartition(".")[2]
    if call.callee.partition(".")[0] != "cls" or _SPECIAL.fullmatch(name):
        return False
    if pair.own_tree.mentioning(pair.own_tree.modules, name):
        return False
    word, head = (
        re.compile(rb"%s\b%s\b" % (before, re.escape(name.encode()))) for before in (b"", b"def\\s+")
    )
    texts = (pair.old_tree.source(m) or b"" for m in pair.old_tree.mentioning(pair.old_tree.modules, name))
    return all(len(word.findall(text)) == len(head.findall(text)) for text in texts)


def _is_called_here(before: Member, pair: Comparison, reading: bool) -> bool:
    """Whether the backend itself calls a method, or (with ``reading``) reads a property, but in its tests."""
    modules = tuple(m for m in pair.own_tree.modules if m not in pair.tests)
    if reading and is_property(definition(before.functions)):
        return any(pair.own_usage.readers(modules, before.name))
    calls = pair.own_usage.calls(modules, before.name)
    return any(not _hands_on(call, before.name) for _, call in calls)


def _handed_to_library(contract: Contract, ours: Function, pair: Comparison) -> str | None:
    """The function of a library, of the same name, that an override calls."""
    module = contract.place.module
    for _, call in pair.own_usage.calls((module,), ours.name):
        found = pair.new.local(module, call.callee.partition(".")[0]) if "." in call.callee else None
        outside = found is not None and found.kind == "unknown" and pair.new.tree_of(found.module) is None
        if outside and ours.line <= call.line <= ours.end_line:
            return call.callee
    return None


def _hands_on(call: Call, name: str) -> bool:
    """Whether a call stands in a method of the same name: who is asked for it asks another object, or its own
    base."""
    return call.callee.startswith("super()") or call.scope.rpartition(".")[2] == name


def _is_read_no_more(name: str, pair: Comparison) -> bool:
    """Whether upstream read an attribute of that name, of whatever objects, and nothing there does now."""
    before = any(pair.old_usage.readers((*pair.changed, *pair.removed), name))
    return before and not any(pair.new_usage.readers(tuple(pair.new_tree.modules), name))
