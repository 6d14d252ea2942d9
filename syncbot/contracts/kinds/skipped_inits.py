"""Constructors that do not call an upstream base's ``__init__`` and so miss what it newly sets."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from syncbot.api.model import Attribute, Function
from syncbot.api.protocols import is_protocol
from syncbot.api.symbols import Node, Symbol
from syncbot.api.universe import Universe
from syncbot.contracts.attributes.reads import Read, is_read, reads_in
from syncbot.contracts.changes import ChangeKind, MemberDetails
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.context import Context
from syncbot.contracts.grounds import Ground
from syncbot.contracts.model import Contract, Finding, Verdict
from syncbot.contracts.reached_constructors import constructor, reached_constructors
from syncbot.contracts.registry import finder, judge
from syncbot.contracts.unreached.false_flags import is_always_false
from syncbot.contracts.unreached.reachable_methods import is_reached


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
    """The left-out ``__init__`` sets an attribute that it did not set before and that upstream reads."""
    before, after = pair.old.resolve(contract.symbol), pair.now(contract.symbol)
    own = pair.new.resolve(contract.receiver)
    if before is None or after is None or own is None or before.class_ is None or after.class_ is None:
        return
    if {a.name for a in after.class_.attributes} <= {a.name for a in before.class_.attributes}:
        return
    if any(after.name in _chain(name, pair) for name in contract.reached):
        return
    constructing = frozenset(_constructing(after, pair))
    names = dict.fromkeys(_newly_lacking(contract, before, after, own, constructing, pair))
    lacking = frozenset(_lacking_before(contract, before, pair))
    made = _Made(own, after, contract.reached, constructing, lacking, frozenset(names))
    for name in names:
        reader = max(_readers(made, name, pair), key=lambda r: r.ground.share, default=None)
        if reader is None:
            continue
        reason = (
            f"{contract.symbol}.__init__, which this class does not call, now sets {name}, "
            f"and upstream reads it ({reader.where}){reader.doubt}"
        )
        found = Finding(
            contract, ChangeKind.ATTRIBUTE_ADDED, f"{after.name}.{name}", reader.ground, reason,
            subject=name, details=MemberDetails(name=name),
        )  # fmt: skip
        answers = pair.new.member(own, "__getattr__") is not None and found.verdict is Verdict.BREAKS
        yield (
            found.doubted(Ground.DOUBTED, "; but __getattr__ of this class may give it") if answers else found
        )


@dataclass(frozen=True, slots=True)
class _Made:
    """An object of the backend's class ``own``, made without the constructor of ``owner`` and what that alone
    calls (``constructing``), but with those of ``reached``: it lacked ``before`` and lacks ``now`` what these
    set."""

    own: Symbol
    owner: Symbol
    reached: tuple[str, ...]
    constructing: frozenset[str]
    before: frozenset[str]
    now: frozenset[str]


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


@dataclass(frozen=True, slots=True)
class _Reader:
    """Upstream code that reads an attribute, how sure it is that it reads it of the object meant, and what
    speaks against that."""

    where: str
    ground: Ground
    doubt: str = ""


_ONLY_BY_OVERRIDDEN = (
    ", but this class overrides all that is seen to call that, or has what is chosen instead"
)
_OF_PROTOCOL = ", of whatever follows a protocol: it may not come to this class"
_OF_ANOTHER = ", it may be of an object of another class that has one of that name"


def _readers(made: _Made, name: str, pair: Comparison) -> Iterator[_Reader]:
    """Upstream code that runs and may read an attribute of an object, but for the ``__init__`` left out and
    other classes' ``self``."""
    lineage = {c.name for c in pair.new.lineage(made.own).classes}
    left_out = {f"{made.owner.name}.{method}" for method in made.constructing}
    for module in pair.new_usage.readers(pair.changed, name):
        for read in reads_in(pair.new_tree.source(module) or b"", name):
            if read.of_self and f"{module}.{read.scope.rpartition('.')[0]}" not in lineage:
                continue
            if f"{module}.{read.scope}" in left_out or pair.shadows.hide(module, read.scope):
                continue
            where = f"{module}.{read.scope}" if read.scope else module
            if read.of_self:
                yield _Reader(where, *_read_of_self(read, module, made, pair))
                continue
            class_ = pair.new.annotation_class(module, read.annotation)
            if class_ is not None and class_.name in lineage and is_protocol(class_.class_):
                yield _Reader(where, Ground.DOUBTED, _OF_PROTOCOL)
            elif class_ is not None and class_.name in lineage:
                yield _Reader(where, Ground.READ_OF_ANOTHER)
            elif class_ is not None or _others_have(name, made.owner, lineage, pair):
                yield _Reader(where, Ground.DOUBTED, _OF_ANOTHER)
            else:
                yield _Reader(where, Ground.READ_OF_ANOTHER)


def _read_of_self(read: Read, module: str, made: _Made, pair: Comparison) -> tuple[Ground, str]:
    """How sure it is that a method that reads an attribute of its object runs as far as that, and what speaks
    against it. What reads something that was lacking before did not run."""
    source = pair.new_tree.source(module) or b""
    also = next((n for n in sorted(made.before) if is_read(source, n, read.scope)), None)
    if also is not None:
        return Ground.DOUBTED, f", beside {also}, which this class never had"
    first = next((n for n in read.needs if n in made.now), None)
    if first is not None:
        return Ground.DOUBTED, f", where {first} is true, which it lacks as well"
    off = next((n for n in read.needs if is_always_false(made.own, n, made.reached, pair.new)), None)
    if off is not None:
        return Ground.OVERRIDDEN, f", where {off} is true, as it never is here"
    if not is_reached(made.own, read.scope.rpartition(".")[2], pair):
        return Ground.OVERRIDDEN, _ONLY_BY_OVERRIDDEN
    return Ground.READ_OF_SELF, ""


def _others_have(name: str, owner: Symbol, lineage: set[str], pair: Comparison) -> bool:
    """Whether an upstream class that is no kin of ``owner`` has an attribute or method of that name too."""
    for module in pair.new_tree.mentioning(pair.new_tree.modules, name):
        table = pair.new_tree.table(module)
        for class_ in table.classes if table is not None else ():
            if name in {*(a.name for a in class_.attributes), *(f.name for f in class_.functions)}:
                found = pair.new.local(module, class_.name)
                kin = {c.name for c in pair.new.lineage(found).classes} if found is not None else set()
                if owner.name not in kin and not kin & lineage:
                    return True
    return False
