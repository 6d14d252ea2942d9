"""Classes of the backend that have all methods of one of upstream's protocols without deriving from it:
upstream calls them as the protocol says."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from syncbot.api.methods import definition, is_property
from syncbot.api.model import Class, Function
from syncbot.api.symbols import Symbol
from syncbot.api.universe import Universe
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.context import Context
from syncbot.contracts.kinds.subclasses import first_upstream
from syncbot.contracts.model import Contract, Finding, Location
from syncbot.contracts.overrides.replacement_fit import compare_replacement
from syncbot.contracts.registry import finder, judge

#: A class with one method of a protocol may have it for something else.
_METHODS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class ProtocolContract(Contract):
    """The class ``receiver``, which derives from the upstream class ``symbol``, and may behave as protocols
    say that it does not name."""

    receiver: str


@finder(ast.ClassDef)
def find_structural(node: ast.ClassDef, context: Context) -> Iterator[ProtocolContract]:
    """Classes with an upstream ancestor, which upstream will be handed."""
    own = context.own_class(node.name)
    ancestor = first_upstream(own, context.universe, context.upstream) if own is not None else None
    if own is not None and ancestor is not None and context.universe.graft(own) is None:
        yield ProtocolContract(symbol=ancestor.name, receiver=own.name, place=context.place(node))


@judge(ProtocolContract)
def judge_protocol(contract: ProtocolContract, pair: Comparison) -> Iterator[Finding]:
    """A protocol that the class had all methods of calls one of them in another way."""
    own, now = pair.old.resolve(contract.receiver), pair.new.resolve(contract.receiver)
    mine = pair.new.body(now) if now is not None else None
    if own is None or now is None or mine is None:
        return
    written = {f.name: f for f in mine.functions if not f.name.startswith("__") and not is_property(f)}
    for protocol, later in _changed_protocols(written, pair):
        if not _behaves_as(own, protocol, pair.old):
            continue
        for name, function in sorted(written.items()):
            before, after = pair.old.member(protocol, name), pair.new.member(later, name)
            if before is None or after is None or not before.functions or not after.functions:
                continue
            found = compare_replacement(
                _at(contract, function, now), function, definition(before.functions),
                definition(after.functions), after.symbol, after.owner, pair, now,
            )  # fmt: skip
            yield from (replace(f, reason=_of_method(f.reason)) for f in found)


def _changed_protocols(methods: Mapping[str, Function], pair: Comparison) -> Iterator[tuple[Symbol, Symbol]]:
    """The protocols in modules that changed that define one of these methods, as they were and are."""
    for module in pair.mentioning("Protocol")[1]:
        table = pair.new_tree.table(module)
        for class_ in table.classes if table is not None else ():
            if not _is_protocol(class_) or methods.keys().isdisjoint(f.name for f in class_.functions):
                continue
            old, new = pair.old.local(module, class_.name), pair.new.local(module, class_.name)
            if old is not None and new is not None and old.class_ is not None and _is_protocol(old.class_):
                yield old, new


def _is_protocol(class_: Class) -> bool:
    return any(base.partition("[")[0].rpartition(".")[2] == "Protocol" for base in class_.bases)


def _behaves_as(own: Symbol, protocol: Symbol, universe: Universe) -> bool:
    """Whether a class has the methods of a protocol, and of those that it derives from, that it is no
    subclass of."""
    if protocol.name in {c.name for c in universe.lineage(own).classes}:
        return False
    names = {
        f.name
        for owner in universe.lineage(protocol).classes
        for f in (owner.class_.functions if owner.class_ is not None else ())
        if not f.name.startswith("__")
    }
    return len(names) >= _METHODS and all(universe.member(own, name) is not None for name in names)


def _at(contract: ProtocolContract, method: Function, own: Symbol) -> ProtocolContract:
    """The contract at the method's own line."""
    place = contract.place
    location = Location(place.location.file, method.line, place.location.column)
    return replace(contract, place=replace(place, location=location, scope=f"{own.qualname}.{method.name}"))


def _of_method(reason: str) -> str:
    told = reason.replace("this override", "the method here")
    return f"{told}; the class here has all methods of that protocol"
