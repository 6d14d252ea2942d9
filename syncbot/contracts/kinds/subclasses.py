"""Classes of the backend that derive from upstream ones: abstract methods that they have to provide."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from syncbot.api.signatures import Arguments, Signature, function_signatures
from syncbot.api.symbols import Symbol
from syncbot.api.universe import Universe
from syncbot.contracts.attributes.standard_library import standard_class
from syncbot.contracts.attributes.type_forms import no_class_any_more, type_form
from syncbot.contracts.calls.binding import compare_binding
from syncbot.contracts.changes import ChangeKind, MemberDetails
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.context import Context
from syncbot.contracts.grounds import Ground
from syncbot.contracts.model import Contract, Finding
from syncbot.contracts.overrides.asked_by_name import asked_otherwise
from syncbot.contracts.overrides.cousins import unlike_cousins
from syncbot.contracts.overrides.introduced_methods import introduced
from syncbot.contracts.overrides.left_open import left_open
from syncbot.contracts.overrides.structural_protocols import unlike_protocols
from syncbot.contracts.registry import audit, finder, judge

_HOOK = "__init_subclass__"
_PLAIN = {"object", "ABC", "abc.ABC", "Generic", "typing.Generic", "Protocol", "typing.Protocol"}
_META = "metaclass="
_KNOWN = (f"{_META}ABCMeta", f"{_META}abc.ABCMeta")
# What ``object`` has takes no keyword.
_NOTHING = (Signature(()),)


def other_keywords(contract: Contract, old: Symbol, new: Symbol, pair: Comparison) -> Iterator[Finding]:
    """Yield what upstream does not take any more, or newly requires, of the statement that makes a class."""
    theirs = pair.new.member(new, _HOOK, 1) or pair.old.member(old, _HOOK, 1)
    if theirs is None or pair.new.tree_of(theirs.owner.module) is not pair.new_tree:
        return
    before, after = _signatures(pair.old, old), _signatures(pair.new, new)
    body = pair.new.body(new)
    if before is None or after is None or body is None:
        return
    written = [keyword for keyword in body.keywords if not keyword.startswith(_META)]
    names = tuple(keyword.partition("=")[0] for keyword in written if not keyword.startswith("**"))
    arguments = Arguments(0, names, double_starred=len(names) < len(written))
    symbol = f"{theirs.owner.name}.{_HOOK}"
    yield from compare_binding(contract, symbol, f"{symbol}()", arguments, before, after)


def _signatures(universe: Universe, class_: Symbol) -> tuple[Signature, ...] | None:
    """Return what the class above is told of a class that derives from it; None where something else may be
    asked first: a metaclass, or a base that nobody sees."""
    lineage = universe.lineage(class_)
    bodies = [one.class_ for one in lineage.classes if one.class_ is not None]
    metaclasses = {k for body in bodies for k in body.keywords if k.startswith(_META)}
    if not metaclasses.issubset(_KNOWN) or {b.partition("[")[0] for b in lineage.external} - _PLAIN:
        return None
    hook = universe.member(class_, _HOOK, 1)
    if hook is None:
        return _NOTHING
    plain = all(set(f.decorators) <= {"classmethod"} for f in hook.functions)
    known = bool(hook.functions) and len(hook.functions) == len(hook.nodes)
    return function_signatures(hook.functions, bound=True) if plain and known else None


# Bases outside that implement no method which another base leaves open.
_WITHOUT = {"typing.Generic", "typing.Protocol", "typing_extensions.Protocol", "abc.ABC", "torch.nn.Module"}


@dataclass(frozen=True, slots=True, kw_only=True)
class SubclassContract(Contract):
    """``class receiver(symbol)``: ``symbol`` is the nearest upstream class it derives from."""

    receiver: str


@finder(ast.ClassDef)
def find_subclasses(node: ast.ClassDef, context: Context) -> Iterator[SubclassContract]:
    """Classes with an upstream ancestor."""
    own = context.own_class(node.name)
    ancestor = first_upstream(own, context.universe, context.upstream) if own is not None else None
    # Members that are put into the upstream class make no class of their own.
    if own is not None and ancestor is not None and context.universe.graft(own) is None:
        yield SubclassContract(symbol=ancestor.name, receiver=own.name, place=context.place(node))


def first_upstream(own: Symbol, universe: Universe, upstream: tuple[str, ...]) -> Symbol | None:
    """The first upstream class in the lineage of a backend class."""
    for ancestor in universe.lineage(own).classes[1:]:
        if universe.belongs(ancestor.module, upstream):
            return ancestor
    return None


@judge(SubclassContract)
def judge_subclass(contract: SubclassContract, pair: Comparison) -> Iterator[Finding]:
    """A method appeared that the class has to provide and does not, or has under the same name for something
    else; the base is no class any more."""
    old, new = pair.old.resolve(contract.receiver), pair.new.resolve(contract.receiver)
    if old is None or new is None:
        return
    base = pair.new.resolve(contract.symbol)
    if base is not None and base.kind == "function":
        reason = f"{contract.symbol} is now a function and cannot be subclassed"
        kind, ground = ChangeKind.CLASS_BECAME_FUNCTION, Ground.CLASS_CANNOT_BE_MADE
        yield Finding(contract, kind, contract.symbol, ground, reason)
        return
    if base is not None and base.kind == "variable" and (now := type_form(base)) is not None:
        reason = no_class_any_more(contract.symbol, now)
        kind, ground = ChangeKind.TYPE_CHANGED, Ground.CLASS_CANNOT_BE_MADE
        yield Finding(contract, kind, contract.symbol, ground, reason)
        return
    for found in left_open(old, new, pair):
        method = f"{found.owner.name}.{found.name}"
        reason = f"{method} is left to subclasses, {found.caller} calls it, and {new.qualname} has none"
        yield Finding(
            contract, ChangeKind.METHOD_LEFT_OPEN, method, found.ground, reason,
            subject=found.name, details=MemberDetails(name=found.name, base=found.owner.name),
        )  # fmt: skip
    yield from introduced(contract, old, new, pair)
    yield from unlike_protocols(contract, old, new, pair)
    yield from unlike_cousins(contract, old, new, pair)
    yield from asked_otherwise(contract, old, new, pair)
    yield from other_keywords(contract, old, new, pair)
    before = unimplemented(old, pair.old)
    for name, owner in sorted(unimplemented(new, pair.new).items()):
        if name in before:
            continue
        itself_abstract = bool(before)
        reason = f"{owner.name} now has the abstract method {name}, which {new.qualname} does not implement"
        yield Finding(
            contract, ChangeKind.ABSTRACT_METHOD_ADDED, f"{owner.name}.{name}",
            Ground.DERIVED_ABSTRACT if itself_abstract else Ground.CLASS_CANNOT_BE_MADE, reason, subject=name,
            details=MemberDetails(name=name, base=owner.name),
        )  # fmt: skip


@audit(SubclassContract)
def audit_subclass(contract: SubclassContract, universe: Universe) -> Iterator[str]:
    """A concrete class lacks an abstract method: one that the backend's own classes do not declare."""
    own = universe.resolve(contract.receiver)
    if own is not None and not any("ABC" in base for base in (own.class_.bases if own.class_ else ())):
        for name, owner in sorted(unimplemented(own, universe).items()):
            yield f"{own.qualname} does not implement the abstract {owner.name}.{name}"


def unimplemented(symbol: Symbol, universe: Universe) -> dict[str, Symbol]:
    """The abstract methods that a class still has, each with the class that declares it."""
    missing: dict[str, Symbol] = {}
    for owner in reversed(universe.lineage(symbol).classes):
        node = owner.class_
        if node is None:
            continue
        if missing:
            missing = {name: o for name, o in missing.items() if not _may_come_first(name, owner, universe)}
        for attribute in node.attributes:
            if not attribute.origin:
                missing.pop(attribute.name, None)
        for function in node.functions:
            if function.abstract:
                missing[function.name] = owner
            else:
                missing.pop(function.name, None)
    return missing if _is_abc(symbol, universe) else {}


def _may_come_first(name: str, class_: Symbol, universe: Universe) -> bool:
    """Whether a base that is not seen stands before one that is, and may have the method."""
    bases = [
        (written.partition("[")[0], found is not None and found.kind == "class")
        for written, found in universe.bases(class_)
    ]
    last = max((place for place, (_, seen) in enumerate(bases) if seen), default=0)
    outside = (universe.external_name(class_.module, written) for written, seen in bases[:last] if not seen)
    # Of another package's class nothing is known.
    theirs = (standard_class(base) for base in outside if base not in _WITHOUT)
    return any(base is None or hasattr(base, name) for base in theirs)


def _is_abc(symbol: Symbol, universe: Universe) -> bool:
    for owner in universe.lineage(symbol).classes:
        node = owner.class_
        if node is not None and (
            any("ABCMeta" in k for k in node.keywords)
            or any(b.partition("[")[0].rpartition(".")[2] in ("ABC", "Protocol") for b in node.bases)
        ):
            return True
    return False
