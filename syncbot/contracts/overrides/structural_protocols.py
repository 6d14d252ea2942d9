"""Classes of the backend that have all methods of one of upstream's protocols without deriving from it:
upstream calls them as the protocol says."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TypeVar

from syncbot.api.methods import definition, is_property, method_signature
from syncbot.api.model import Call, Function
from syncbot.api.protocols import is_protocol
from syncbot.api.symbols import Symbol
from syncbot.api.universe import Universe
from syncbot.contracts.changes import ChangeKind, MemberDetails
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.grounds import Ground
from syncbot.contracts.model import Contract, Finding
from syncbot.contracts.overrides.callers import fits
from syncbot.contracts.overrides.introduced_methods import at_method
from syncbot.contracts.overrides.replacement_fit import compare_replacement
from syncbot.contracts.overrides.upstream_tests import is_test

C = TypeVar("C", bound=Contract)

#: A class with one method of a protocol may have it for something else.
_METHODS = 2


def unlike_protocols(contract: C, old: Symbol, new: Symbol, pair: Comparison) -> Iterator[Finding]:
    """Findings for the methods of a class, as both trees have it, that a protocol calls in another way, which
    the class had all methods of."""
    body = pair.new.body(new) if pair.new.tree_of(new.module) is pair.own_tree else None
    if body is None:
        return
    written = {f.name: f for f in body.functions if not f.name.startswith("__") and not is_property(f)}
    for protocol, later in _changed_protocols(written, pair):
        if not _behaves_as(old, protocol, pair.old):
            continue
        yield from _lacking(contract, protocol, later, new, pair)
        for name, function in sorted(written.items()):
            before, after = pair.old.member(protocol, name), pair.new.member(later, name)
            if before is None or after is None or not before.functions or not after.functions:
                continue
            found = compare_replacement(
                at_method(contract, function, new), function, definition(before.functions),
                definition(after.functions), after.symbol, after.owner, pair, new,
            )  # fmt: skip
            doubted = _doubt(function, definition(after.functions), pair)
            for finding in found:
                told = replace(finding, reason=_of_method(finding.reason))
                yield told if doubted is None else told.doubted(Ground.DOUBTED, doubted)


def _changed_protocols(methods: Mapping[str, Function], pair: Comparison) -> Iterator[tuple[Symbol, Symbol]]:
    """The protocols in modules that changed that define one of these methods, as they were and are."""
    for module in pair.mentioning("Protocol")[1]:
        table = pair.new_tree.table(module)
        for class_ in table.classes if table is not None else ():
            if not is_protocol(class_) or methods.keys().isdisjoint(f.name for f in class_.functions):
                continue
            old, new = pair.old.local(module, class_.name), pair.new.local(module, class_.name)
            if old is not None and new is not None and old.class_ is not None and is_protocol(old.class_):
                yield old, new


def _behaves_as(own: Symbol, protocol: Symbol, universe: Universe) -> bool:
    """Whether a class has the methods of a protocol, and of those that it derives from, that it is no
    subclass of."""
    if protocol.name in {c.name for c in universe.lineage(own).classes}:
        return False
    names = _methods(protocol, universe)
    return len(names) >= _METHODS and all(universe.member(own, name) is not None for name in names)


def _methods(protocol: Symbol, universe: Universe) -> set[str]:
    """The names of the methods of a protocol, and of those that it derives from."""
    return {
        f.name
        for owner in universe.lineage(protocol).classes
        for f in (owner.class_.functions if owner.class_ is not None else ())
        if not f.name.startswith("__")
    }


def _lacking(
    contract: C, protocol: Symbol, later: Symbol, own: Symbol, pair: Comparison
) -> Iterator[Finding]:
    """Findings for the methods that a protocol has more, upstream asks for, and a class does not have."""
    for name in sorted(_methods(later, pair.new) - _methods(protocol, pair.old)):
        if pair.new.member(own, name) is None and (asking := _asking(name, pair)) is not None:
            # Several classes may be told of in one sentence.
            reason = (
                f"{later.name} now has the method {name}, which {asking} asks for: the class here has none"
            )
            found = Finding(
                contract, ChangeKind.METHOD_LEFT_OPEN, f"{later.name}.{name}", Ground.PROTOCOL_GREW,
                f"{reason}, and all others of that protocol",
                subject=name, details=MemberDetails(name=name, base=later.name),
            )  # fmt: skip
            without = _does_without(asking, name, pair)
            yield found.doubted(Ground.DOUBTED, "; but it may do without") if without else found


def _asking(name: str, pair: Comparison) -> str | None:
    """A module that changed, no test, which calls a method of another object, or asks for it by its name."""
    for module, call in pair.new_usage.calls(pair.changed, name):
        receiver = call.callee.rpartition(".")[0]
        if not is_test(module) and receiver not in ("", "self", "super()"):
            return f"{module}.{call.scope}"
    spelled = pair.new_tree.mentioning(pair.changed, f'"{name}"', f"'{name}'")
    return next((module for module in spelled if not is_test(module)), None)


def _does_without(module: str, name: str, pair: Comparison) -> bool:
    """Whether a module names a method only where it has something instead, or asks whether it is there."""
    text, word = pair.new_tree.source(module) or b"", re.escape(name).encode()
    named = re.findall(rb"['\"]%s['\"]" % word, text)
    asked = re.findall(
        rb"\b(?:getattr\([^()]*,\s*['\"]%s['\"]\s*,|hasattr\([^()]*['\"]%s['\"])" % (word, word), text
    )
    return 0 < len(named) == len(asked)


def _doubt(function: Function, theirs: Function, pair: Comparison) -> str | None:
    """Return what speaks against upstream calling a method: the backend does so itself, or no call is
    seen."""
    ours, name = method_signature(function), function.name
    if any(fits(ours, call) for call in own_calls(function, theirs, pair)):
        return "; but the project calls it itself, with what it takes"
    calls = pair.new_usage.calls(pair.changed, name)
    seen = any(not fits(ours, call) for module, call in calls if not is_test(module))
    return None if seen else "; but no call of that is seen which it does not take"


def own_calls(function: Function, theirs: Function, pair: Comparison) -> Iterator[Call]:
    """The backend's calls of a method, of which one that hands on to its like is none."""
    name = function.name
    modules = tuple(m for m in pair.own_tree.modules if m not in pair.tests)
    for _, call in pair.own_usage.calls(modules, name):
        if call.scope.rpartition(".")[2] != name and call.callee not in (f"self.{name}", f"super().{name}"):
            yield call
    if name != "forward":
        return
    # A module of torch is called itself for that (torch.nn.Module.__call__): what is passed tells which.
    further = method_signature(function).names - method_signature(theirs).names
    for module, call in pair.own_usage.all_calls(modules):
        if call.scope.rpartition(".")[2] != name and not further.isdisjoint(call.keywords):
            found = pair.new.local(module, call.callee) if "?" not in call.callee else None
            if found is None or found.kind not in ("class", "function"):
                yield call


def _of_method(reason: str) -> str:
    told = reason.replace("this override", "the method here")
    return f"{told}; the class here has all methods of that protocol"
