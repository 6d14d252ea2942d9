"""Objects that the backend's classes put on themselves where upstream's class puts one of its own, or a list
or the like now: upstream's methods ask of them what they ask of theirs."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from syncbot.api.every_node import children
from syncbot.api.remembered_answers import remembered
from syncbot.api.symbols import Member, Symbol
from syncbot.api.syntax import parse
from syncbot.api.universe import Universe
from syncbot.contracts.attributes.asked_of_values import asked, lacking, surely_lacks
from syncbot.contracts.attributes.written_values import written_type
from syncbot.contracts.changes import ChangeKind, MemberDetails
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.context import Context
from syncbot.contracts.grounds import Ground
from syncbot.contracts.model import Contract, Finding
from syncbot.contracts.overrides.upstream_members import InheritedMember, inherited_member, upstream_member
from syncbot.contracts.registry import finder, judge


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplacedObjectContract(Contract):
    """The backend's class ``receiver`` sets ``self.name`` to an object of the class ``holds``, as upstream's
    class does with one of its own."""

    told_beside: ClassVar[bool] = True
    receiver: str
    name: str
    holds: str
    upstream: tuple[str, ...]


@finder(ast.Assign)
def find_replaced(node: ast.Assign, context: Context) -> Iterator[ReplacedObjectContract]:
    """``self.name = Class(…)``, where upstream's class assigns an object of a class as well."""
    match node:
        case ast.Assign(
            targets=[ast.Attribute(value=ast.Name(id=owner), attr=name)], value=ast.Call() as value
        ) if owner == context.scope.receiver and context.scope.class_ is not None:
            own = context.scope.class_
            base = upstream_member(own, name, context.universe, context.upstream)
        case _:
            return
    if base is None or not _is_plain(base):
        return
    made, theirs = context.infer(value), context.inference.member(base)
    if made is not None and theirs is not None and made.instance and theirs.instance:
        yield ReplacedObjectContract(
            symbol=base.symbol,
            receiver=own.name,
            name=name,
            holds=made.symbol.name,
            upstream=context.upstream,
            place=context.place(node),
        )


def _is_plain(member: Member) -> bool:
    return len(member.attributes) == len(member.nodes) and not any(a.annotation for a in member.attributes)


@judge(ReplacedObjectContract)
def judge_replaced(contract: ReplacedObjectContract, pair: Comparison) -> Iterator[Finding]:
    """Upstream's methods ask what the object does not have: of a list, where there was an object as well, or
    of the object that upstream puts there."""
    known = inherited_member(contract.receiver, contract.name, contract.upstream, pair)
    holds = pair.new.resolve(contract.holds)
    if known is None or known.after is None or holds is None or holds.kind != "class":
        return
    types = {written_type(a.value) for a in known.after.attributes if a.value != "None"}
    type_ = types.pop() if len(types) == 1 else None
    symbol = known.after.symbol
    if type_ is None:
        yield from _asked_anew(contract, known, holds, symbol, pair)
    elif not any(written_type(a.value) for a in known.before.attributes):
        yield from _taken_apart(contract, known, holds, symbol, type_, pair)


def _taken_apart(
    contract: ReplacedObjectContract,
    known: InheritedMember,
    holds: Symbol,
    symbol: str,
    type_: type,
    pair: Comparison,
) -> Iterator[Finding]:
    for wanted, method in _asked_by(pair.new, known.new_class, contract):
        if hasattr(type_, wanted) and surely_lacks(pair.new, holds, wanted):
            taken = f"{symbol} is a {type_.__name__} now and {method} takes it for one"
            yield Finding(
                contract, ChangeKind.FIELD_TYPE_CHANGED, symbol, Ground.RESULT_OF_OTHER_KIND,
                f"{taken}; the object of {holds.name} that is set here {lacking(wanted)}",
                subject=contract.name,
            )  # fmt: skip
            return


def _asked_anew(
    contract: ReplacedObjectContract, known: InheritedMember, holds: Symbol, symbol: str, pair: Comparison
) -> Iterator[Finding]:
    before = {wanted for wanted, _ in _asked_by(pair.old, known.old_class, contract)}
    told = set[str]()
    for wanted, method in _asked_by(pair.new, known.new_class, contract):
        lacks = wanted not in before | told and surely_lacks(pair.new, holds, wanted)
        if not lacks or _never_runs(method, pair):
            continue
        told.add(wanted)
        yield Finding(
            contract, ChangeKind.METHOD_LEFT_OPEN, symbol, Ground.READ_OF_SELF,
            f"{method} asks {symbol} for {wanted} now; the object of {holds.name} that is set here "
            f"{lacking(wanted)}",
            subject=wanted, details=MemberDetails(name=wanted),
        )  # fmt: skip


def _never_runs(method: str, pair: Comparison) -> bool:
    owner, _, name = method.rpartition(".")
    class_ = pair.new.resolve(owner)
    return class_ is not None and pair.shadows.hide(class_.module, f"{class_.qualname}.{name}")


def _asked_by(universe: Universe, own: Symbol, contract: ReplacedObjectContract) -> Iterator[tuple[str, str]]:
    """What the methods that a class has from upstream ask of the attribute, each with the method."""
    for owner in universe.lineage(own).classes:
        if not universe.belongs(owner.module, contract.upstream):
            continue
        text = universe.source(owner.module) or b""
        mentioned = contract.name.encode() in text
        for method, wanted in (
            _asked_of_self(text, owner.qualname).get(contract.name, ()) if mentioned else ()
        ):
            has = universe.member(own, method)
            if has is not None and has.owner.name == owner.name:
                yield wanted, f"{owner.name}.{method}"


# Each class is asked for many attributes, by each class of the backend that derives from it.
@remembered(2048)
def _asked_of_self(source: bytes, class_: str) -> Mapping[str, Sequence[tuple[str, str]]]:
    """What the methods of a class at the top of a text ask of each attribute of ``self``: the method, and the
    attribute of that object."""
    found = defaultdict[str, list[tuple[str, str]]](list)
    body = next((n for n in parse(source).body if isinstance(n, ast.ClassDef) and n.name == class_), None)
    for method in body.body if body is not None else ():
        if isinstance(method, ast.FunctionDef | ast.AsyncFunctionDef):
            for name, wanted in _asked_in(method):
                found[name].append((method.name, wanted))
    return found


def _asked_in(node: ast.AST) -> Iterator[tuple[str, str]]:
    for child in children(node):
        match child:
            case ast.Attribute(value=ast.Name(id="self"), attr=attr):
                wanted = asked(child, node)
                yield from [(attr, wanted)] if wanted else []
        yield from _asked_in(child)
