"""The cases of a match statement that name an upstream class: ``case C(1, name=2):``."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from syncbot.api.expressions import expression, string
from syncbot.api.signatures import constructor, maker
from syncbot.api.symbols import Symbol
from syncbot.api.universe import Universe
from syncbot.contracts.changes import ArgumentDetails, ChangeKind
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.context import Context
from syncbot.contracts.grounds import Ground
from syncbot.contracts.inference.told_classes import object_of
from syncbot.contracts.kinds.attributes import AttributeContract, attribute_contracts
from syncbot.contracts.model import Contract, Finding
from syncbot.contracts.registry import finder, judge

_NAMED_TUPLES = {"NamedTuple", "typing.NamedTuple"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassPatternContract(Contract):
    """A case takes so many attributes of objects of the class ``symbol`` by place."""

    places: int


@finder(ast.MatchClass)
def find_places(node: ast.MatchClass, context: Context) -> Iterator[ClassPatternContract]:
    """``case C(1, x):``."""
    found = context.infer(node.cls) if node.patterns else None
    if found is None or found.instance or found.symbol.kind != "class":
        return
    if any(context.is_upstream(c.module) for c in context.universe.lineage(found.symbol).classes):
        yield ClassPatternContract(
            symbol=found.symbol.name, places=len(node.patterns), place=context.place(node)
        )


@finder(ast.MatchClass)
def find_names(node: ast.MatchClass, context: Context) -> Iterator[AttributeContract]:
    """``case C(name=1):`` never matches what lacks the attribute, and says nothing."""
    found = context.infer(node.cls) if node.kwd_attrs else None
    value = object_of(found) if found is not None else None
    for name in node.kwd_attrs if value is not None else ():
        yield from attribute_contracts(value, name, "read", True, node, context) if value else ()


@judge(ClassPatternContract)
def judge_places(contract: ClassPatternContract, pair: Comparison) -> Iterator[Finding]:
    """Fewer attributes stand in places now, which raises TypeError, or another one stands in a place."""
    before, after = pair.old.resolve(contract.symbol), pair.now(contract.symbol)
    if before is None or after is None or before.kind != "class" or after.kind != "class":
        return
    was, now = by_place(pair.old, before), by_place(pair.new, after)
    if was is None or now is None or contract.places > len(was):
        return
    used = was[: contract.places]
    if contract.places > len(now):
        gone = next((name for name in used if name not in now), used[-1])
        reason = f"{after.name} gives at most {len(now)} values by place to a case: {gone} is gone"
        yield Finding(
            contract, ChangeKind.PARAMETER_REMOVED, after.name, Ground.CALL_DOES_NOT_BIND, reason,
            subject=gone, details=ArgumentDetails(argument=gone),
        )  # fmt: skip
        return
    for place, (old, new) in enumerate(zip(used, now, strict=False)):
        if old != new and (old in now or new in was):
            reason = f"value {place + 1} of {after.name} in a case was {old} and is now {new}"
            yield Finding(
                contract, ChangeKind.PARAMETER_REORDERED, after.name, Ground.LANDS_ELSEWHERE, reason,
                subject=old,
            )  # fmt: skip
            return


def by_place(universe: Universe, class_: Symbol) -> tuple[str, ...] | None:
    """The attributes that objects of a class give to a case by place (``__match_args__``); None where that
    cannot be told."""
    written = universe.member(class_, "__match_args__")
    if written is not None:
        value = written.attributes[-1].value if written.attributes else None
        match expression(value or ""):
            case ast.Tuple(elts=elements):
                names = tuple(string(element) for element in elements)
                return tuple(name for name in names if name) if all(names) else None
        return None
    made, known = constructor(universe, class_), maker(universe, class_)
    if made is None or known is None or not known.fields:
        return None
    if not _NAMED_TUPLES.issuperset(universe.lineage(class_).external):
        return None
    options = (d for c in known.classes if c.class_ is not None for d in c.class_.decorators)
    if any("match_args" in option for option in options):
        return None
    return tuple(p.name for p in made[0][0].positional)
