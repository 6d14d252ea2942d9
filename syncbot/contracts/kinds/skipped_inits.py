"""Constructors that do not call an upstream base's ``__init__``: they miss what it newly sets, and what it
sets and is newly read."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from syncbot.api.model import Attribute, Function
from syncbot.api.symbols import Node, Symbol
from syncbot.api.universe import Universe
from syncbot.contracts.attributes.left_out_readers import Made, new_readers, readers_of
from syncbot.contracts.changes import ChangeKind, MemberDetails
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.context import Context
from syncbot.contracts.grounds import Ground
from syncbot.contracts.model import Contract, Finding, Verdict
from syncbot.contracts.reached_constructors import constructor, reached_constructors
from syncbot.contracts.registry import finder, judge


@dataclass(frozen=True, slots=True, kw_only=True)
class SkippedInitContract(Contract):
    """``receiver.__init__`` does not run that of its ancestor ``symbol``, but those of ``reached``."""

    receiver: str
    reached: tuple[str, ...] = ()


@finder(ast.ClassDef)
def find_skipped_inits(node: ast.ClassDef, context: Context) -> Iterator[SkippedInitContract]:
    """Classes with an ``__init__`` of their own that leaves out an upstream one."""
    own = context.own_class(node.name)
    init = constructor(node)
    if own is None or init is None or context.universe.graft(own) is not None:
        return
    reached = reached_constructors(own, node.body, context)
    for ancestor in context.universe.lineage(own).classes[1:]:
        if not context.is_upstream(ancestor.module) or ancestor.name in reached:
            continue
        if any(isinstance(n, Function) for n in context.universe.defined(ancestor, "__init__")):
            yield SkippedInitContract(
                symbol=ancestor.name,
                receiver=own.name,
                reached=tuple(sorted(reached)),
                place=context.place(init),
            )
            return


@judge(SkippedInitContract)
def judge_skipped_init(contract: SkippedInitContract, pair: Comparison) -> Iterator[Finding]:
    """Yield a finding where what is left out sets an attribute that it did not set before and that upstream
    reads, or one that upstream did not read before."""
    before, after = pair.old.resolve(contract.symbol), pair.now(contract.symbol)
    own = pair.new.resolve(contract.receiver)
    if before is None or after is None or own is None or before.class_ is None or after.class_ is None:
        return
    if any(after.name in _chain(name, pair) for name in contract.reached):
        return
    constructing = frozenset(_constructing(after, pair))
    names: dict[str, None] = {}
    if not {a.name for a in after.class_.attributes} <= {a.name for a in before.class_.attributes}:
        names = dict.fromkeys(_newly_lacking(contract, before, after, own, constructing, pair))
    lacking = frozenset(_lacking_before(contract, before, pair))
    made = Made(own, after, contract.reached, constructing, lacking, frozenset(names))
    told = [(name, "now sets", readers_of(made, name, pair)) for name in names]
    # What was lacking and not read until now.
    old = [n for n in sorted(lacking - set(names)) if _sets_alone(after, n, constructing, own, pair)]
    told += [(name, "sets", new_readers(made, name, pair)) for name in old]
    for name, does, readers in told:
        reader = max(readers, key=lambda r: r.ground.share, default=None)
        if reader is None:
            continue
        reads = "reads" if does == "now sets" else "now reads"
        reason = (
            f"{contract.symbol}.__init__, which this class does not call, {does} {name}, "
            f"and upstream {reads} it ({reader.where}){reader.doubt}"
        )
        found = Finding(
            contract, ChangeKind.ATTRIBUTE_ADDED, f"{after.name}.{name}", reader.ground, reason,
            subject=name, details=MemberDetails(name=name),
        )  # fmt: skip
        answers = pair.new.member(own, "__getattr__") is not None and found.verdict is Verdict.BREAKS
        yield (
            found.doubted(Ground.DOUBTED, "; but __getattr__ of this class may give it") if answers else found
        )


def _newly_lacking(
    contract: SkippedInitContract,
    before: Symbol,
    after: Symbol,
    own: Symbol,
    constructing: Collection[str],
    pair: Comparison,
) -> Iterator[str]:
    """The attributes that the left-out ``__init__`` newly sets, and that nothing else gives the object."""
    known = {a.name for a in before.class_.attributes} if before.class_ is not None else set()
    # What another constructor set that is left out as well was lacking until now, too.
    for above in pair.old.lineage(before).classes[1:]:
        if above.class_ is not None and above.name not in contract.reached and pair.is_upstream(above.name):
            known.update(a.name for a in above.class_.attributes if a.origin == "__init__")
    for attribute in after.class_.attributes if after.class_ is not None else ():
        name = attribute.name
        only_declared = attribute.annotation is not None and attribute.value is None
        if attribute.origin not in constructing or name in known or only_declared:
            continue
        member = pair.new.member(own, name)
        if member is None or member.owner.name != after.name:
            continue
        if not (_set_elsewhere(contract, own, name, pair.new) or _has_class_value(own, name, pair.new)):
            yield name


def _constructing(after: Symbol, pair: Comparison) -> set[str]:
    """The constructor that is left out, and the methods that it alone calls."""
    found = {"__init__"}
    for origin in {a.origin for a in after.class_.attributes} - found if after.class_ is not None else ():
        ours = [*pair.own_usage.calls(tuple(pair.own_tree.modules), origin)] if origin else []
        theirs = [*pair.new_usage.calls(tuple(pair.new_tree.modules), origin)] if origin and not ours else []
        by_constructor = (after.module, f"{after.qualname}.__init__", f"self.{origin}")
        if theirs and all((m, c.scope, c.callee) == by_constructor for m, c in theirs):
            found.add(origin)
    return found


def _chain(name: str, pair: Comparison) -> set[str]:
    """Whose ``__init__`` runs from now on where that of a class does."""
    symbol = pair.now(name)
    if symbol is None or symbol.kind != "class":
        return set()
    return {c.name for c in pair.new.lineage(symbol).classes}


def _set_elsewhere(contract: SkippedInitContract, own: Symbol, name: str, universe: Universe) -> bool:
    """Whether an ``__init__`` that does run sets the attribute."""
    return any(
        attribute.name == name and attribute.origin == "__init__"
        for ancestor in universe.lineage(own).classes
        if ancestor.name in contract.reached and ancestor.class_ is not None
        for attribute in ancestor.class_.attributes
    )


def _has_class_value(own: Symbol, name: str, universe: Universe) -> bool:
    """Whether the class or a base has a value of its own for a name, which objects without one read."""
    return any(
        _is_class_value(node)
        for ancestor in universe.lineage(own).classes
        for node in universe.defined(ancestor, name)
    )


def _is_class_value(node: Node) -> bool:
    if node.guards or not isinstance(node, Attribute):
        return not node.guards
    # What a dataclass makes anew for each object is no value of the class.
    return not node.origin and node.value is not None and "default_factory" not in node.value


def _lacking_before(contract: SkippedInitContract, before: Symbol, pair: Comparison) -> Iterator[str]:
    """The attributes that the left-out ``__init__`` set already, and that nothing else gives the object."""
    own = pair.old.resolve(contract.receiver)
    if own is None or before.class_ is None:
        return
    for name in {a.name for a in before.class_.attributes if a.origin == "__init__"}:
        member = pair.old.member(own, name)
        alone = member is not None and member.owner.name == before.name and not member.functions
        if alone and member is not None and all(a.origin == "__init__" for a in member.attributes):
            given = _set_elsewhere(contract, own, name, pair.old) or _has_class_value(own, name, pair.old)
            yield from [] if given else [name]


def _sets_alone(
    after: Symbol, name: str, constructing: Collection[str], own: Symbol, pair: Comparison
) -> bool:
    """Whether an attribute comes to objects of a class from what is left out alone."""
    member = pair.new.member(own, name)
    return (
        member is not None
        and member.owner.name == after.name
        and not member.functions
        and all(a.origin in constructing for a in member.attributes)
        and not _has_class_value(own, name, pair.new)
    )
