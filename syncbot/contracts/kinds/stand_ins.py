"""Values that the backend puts where upstream has one of its own, in a class's body or on an object: upstream
asks of them what it asks of its own."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

from syncbot.api.expressions import FunctionNode
from syncbot.api.symbols import Member, Symbol
from syncbot.api.universe import Universe
from syncbot.contracts.attributes.asked_of_values import lacking
from syncbot.contracts.attributes.demands import Asked, demands_on, lacks
from syncbot.contracts.calls.literal_types import literal_type
from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.comparison import Comparison, Side
from syncbot.contracts.context import Context
from syncbot.contracts.grounds import Ground
from syncbot.contracts.kinds.set_attributes import set_in_class
from syncbot.contracts.kinds.subclasses import first_upstream
from syncbot.contracts.model import Contract, Finding
from syncbot.contracts.overrides.upstream_members import upstream_member
from syncbot.contracts.reached_constructors import initialised
from syncbot.contracts.registry import finder, judge

_CONTAINERS = {"dict", "list", "set"}


@dataclass(frozen=True, slots=True, kw_only=True)
class StandInContract(Contract):
    """``name`` of an object of ``receiver`` is a value of the built-in ``type``, or an object of the class
    ``type``; ``empty``: it counts as false, and nothing is put into it."""

    told_beside: ClassVar[bool] = True
    receiver: str
    name: str
    type: str
    empty: bool = False


@finder(ast.Assign, ast.AnnAssign)
def find_stand_ins(node: ast.Assign | ast.AnnAssign, context: Context) -> Iterator[StandInContract]:
    """``name = []`` in the body of a class that derives from one of upstream's; ``self.name = set()`` and
    ``self.name = Class()`` in a method of it, or in a function that stands in the place of a method."""
    type_ = literal_type(node.value) if node.value is not None else ""
    for own, name in set_in_class(node, context) if type_ else ():
        theirs = upstream_member(own, name, context.universe, context.upstream)
        if theirs is not None:
            yield StandInContract(
                symbol=theirs.symbol, receiver=own.name, name=name, type=type_, empty=_is_false(node.value),
                place=context.place(node),
            )  # fmt: skip
    for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
        if (
            isinstance(target, ast.Attribute)
            and isinstance(target.value, ast.Name)
            and node.value is not None
        ):
            yield from _on_object(target, node, node.value, context)


def _on_object(
    target: ast.Attribute, node: ast.stmt, value: ast.expr, context: Context
) -> Iterator[StandInContract]:
    owner = context.infer(target.value)
    type_ = literal_type(value)
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Name):
        type_ = value.func.id
    if owner is None or not owner.instance or _is_made_anew_after(node, context.function):
        return
    member = _theirs(owner.symbol, target.attr, context)
    if member is None or not member.attributes or member.functions:
        return
    if type_ not in _CONTAINERS:
        made = context.infer(value) if isinstance(value, ast.Call) else None
        theirs = context.inference.member(member) if _is_plain(member) else None
        if made is None or theirs is None or not made.instance or not theirs.instance:
            return
        type_ = made.symbol.name
    yield StandInContract(
        symbol=member.symbol, receiver=owner.symbol.name, name=target.attr, type=type_,
        place=context.place(node),
    )  # fmt: skip


def _theirs(owner: Symbol, name: str, context: Context) -> Member | None:
    """The member that objects of a class have of upstream."""
    if context.is_upstream(owner.module):
        return context.universe.member(owner, name)
    above = first_upstream(owner, context.universe, context.upstream)
    grafted = above is None or context.universe.graft(owner) is not None
    return None if grafted else upstream_member(owner, name, context.universe, context.upstream)


def _is_plain(member: Member) -> bool:
    return len(member.attributes) == len(member.nodes) and not any(a.annotation for a in member.attributes)


def _is_false(value: ast.expr | None) -> bool:
    match value:
        case ast.Constant(value=written):
            return not written
        case ast.List(elts=[]) | ast.Tuple(elts=[]) | ast.Dict(keys=[]):
            return True
    return False


def _is_made_anew_after(node: ast.stmt, function: FunctionNode | None) -> bool:
    """Whether another constructor runs on the object after a statement of a function."""
    return function is not None and _last_constructor(function) > node.lineno


@lru_cache(maxsize=16)  # asked for each statement of a function, one after the other
def _last_constructor(function: FunctionNode) -> int:
    """The last line of a function that calls a constructor of an object; 0 where none does."""
    return max((receiver.lineno for receiver in initialised(function)), default=0)


@judge(StandInContract)
def judge_stand_in(contract: StandInContract, pair: Comparison) -> Iterator[Finding]:
    """Upstream asks of the value what it lacks, and asked for nothing that it lacks before."""
    name = contract.name
    before, after = (side.resolve(contract.receiver) for side in (pair.old, pair.new))
    after = pair.now(contract.receiver) if before is not None and after is None else after
    if before is None or after is None:
        return
    classes = (c for c in pair.new.lineage(after).classes if pair.new.tree_of(c.module) is pair.new_tree)
    home = next((c for c in classes if pair.new.defined(c, name)), None)
    seen = (each for each in _refused(contract, after, pair.side(old=False)) if not _hidden(each, pair))
    first = next(seen, None) if home is not None else None
    if home is None or first is None or any(_refused(contract, before, pair.side(old=True))):
        return
    what = "an object of" if "." in contract.type else "a value of type"
    yield Finding(
        contract, ChangeKind.ATTRIBUTE_TYPE_CHANGED, f"{home.name}.{name}", Ground.TYPE_LACKS_METHOD,
        f"{first.module}.{first.scope}() now does something else with {name}; it is {what} {contract.type} "
        f"here, which {lacking(first.wanted)}",
        subject=name,
    )  # fmt: skip


def _refused(contract: StandInContract, class_: Symbol, side: Side) -> Iterator[Asked]:
    """Return what one side asks of the attribute of an object of a class that the value lacks."""
    value = _value(contract.type, side.universe)
    if value is not None:
        lineage = side.universe.lineage(class_).classes
        # What takes objects of a class says its name.
        saying = side.tree.mentioning(side.differing, *{c.name.rpartition(".")[2] for c in lineage})
        readers = side.usage.readers(saying, contract.name)
        for each in demands_on(class_, contract.name, side.universe, side.tree, readers, contract.empty):
            if lacks(value, each.wanted, side.universe):
                yield each


def _hidden(asked: Asked, pair: Comparison) -> bool:
    return pair.shadows.hide(asked.module, asked.scope)


def _value(type_: str, universe: Universe) -> type | Symbol | None:
    """The built-in type or the class of a name, None where it is neither."""
    plain: type | None = getattr(builtins, type_, None)
    if plain is not None:
        return plain
    class_ = universe.resolve(type_)
    return class_ if class_ is not None and class_.kind == "class" else None
