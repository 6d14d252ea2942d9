"""Attributes that classes of the backend set on themselves, where upstream's class newly has a property
without a setter of that name: Python refuses that."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from syncbot.api.methods import is_read_only
from syncbot.api.model import Attribute
from syncbot.api.symbols import Symbol
from syncbot.api.universe import Universe
from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.conditions.guards import tests_for
from syncbot.contracts.context import Context
from syncbot.contracts.grounds import Ground
from syncbot.contracts.model import Contract, Finding, Location
from syncbot.contracts.overrides.upstream_members import upstream_member
from syncbot.contracts.registry import finder, judge

_ERRORS = ("AttributeError", "Exception", "BaseException")
_TESTED = ", unless what the code here tests or catches keeps it from that"


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnAttributesContract(Contract):
    """The backend's class ``receiver`` derives from ``symbol`` and sets attributes on itself."""

    told_beside: ClassVar[bool] = True
    receiver: str
    upstream: tuple[str, ...]


@finder(ast.ClassDef)
def find_own(node: ast.ClassDef, context: Context) -> Iterator[OwnAttributesContract]:
    """Classes that derive from upstream's."""
    own = context.class_named((*context.qualname, node.name)) if node.bases else None
    above = context.universe.lineage(own).classes[1:] if own is not None else ()
    base = next((class_ for class_ in above if context.is_upstream(class_.module)), None)
    if own is not None and base is not None:
        yield OwnAttributesContract(
            symbol=base.name, receiver=own.name, upstream=context.upstream, place=context.place(node)
        )


@judge(OwnAttributesContract)
def judge_own(contract: OwnAttributesContract, pair: Comparison) -> Iterator[Finding]:
    """A property stands in the way of what a method sets, and none did, or it had a setter."""
    before, after = pair.old.resolve(contract.receiver), pair.new.resolve(contract.receiver)
    if before is None or after is None or after.class_ is None:
        return
    defined = _defined(after, pair.new, contract.upstream)
    for attribute in _set_on_self(after, defined):
        now = upstream_member(after, attribute.name, pair.new, contract.upstream)
        if now is None or not is_read_only(now):
            continue
        was = upstream_member(before, attribute.name, pair.old, contract.upstream)
        # What upstream set itself is told as an attribute that both set.
        if was is not None and (is_read_only(was) or was.attributes):
            continue
        location = Location(contract.place.location.file, attribute.line)
        at = replace(contract, place=replace(contract.place, location=location, guards=attribute.guards))
        found = Finding(
            at, ChangeKind.ATTRIBUTE_READ_ONLY, now.symbol, Ground.READ_ONLY_ON_SELF,
            f"{now.symbol} is now a property without a setter: setting it on self fails",
            subject=attribute.name,
        )  # fmt: skip
        yield found.doubted(Ground.TESTED_FOR, _TESTED) if _is_tested(attribute) else found


def _is_tested(attribute: Attribute) -> bool:
    """Whether what sets an attribute catches the failure, or asks for the attribute first."""
    caught = {word for g in attribute.guards if g.startswith("try ") for word in re.findall(r"\w+", g)}
    return not caught.isdisjoint(_ERRORS) or tests_for(attribute.guards, attribute.name)


def _defined(class_: Symbol, universe: Universe, upstream: Sequence[str]) -> set[str]:
    """The names that the bodies of a class and of the backend's classes above it define."""
    own = [c for c in universe.lineage(class_).classes if not universe.belongs(c.module, upstream)]
    bodies = [body for body in map(universe.body, own) if body is not None]
    functions = {function.name for body in bodies for function in body.functions}
    return functions | {a.name for body in bodies for a in body.attributes if not a.origin}


def _set_on_self(class_: Symbol, defined: set[str]) -> Iterator[Attribute]:
    """The attributes that a class sets in its methods, each once, without those that are ``defined``."""
    known = set(defined)
    for attribute in class_.class_.attributes if class_.class_ is not None else ():
        if attribute.origin and attribute.name not in known:
            known.add(attribute.name)
            yield attribute
