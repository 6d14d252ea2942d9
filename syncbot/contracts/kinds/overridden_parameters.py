"""What an override asks of its parameters, as objects of the classes that upstream's method declares."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from syncbot.api.every_node import every_node
from syncbot.api.expressions import FunctionNode, named_arguments
from syncbot.api.methods import definition
from syncbot.api.symbols import Member, Symbol
from syncbot.api.universe import Universe
from syncbot.contracts.attributes.asked_of_values import lacking, surely_lacks
from syncbot.contracts.calls.uses_of_names import tested_in
from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.context import Context
from syncbot.contracts.grounds import Ground
from syncbot.contracts.kinds.subclasses import first_upstream
from syncbot.contracts.model import Contract, Finding
from syncbot.contracts.overrides.upstream_members import inherited_member, upstream_member
from syncbot.contracts.registry import finder, judge


@dataclass(frozen=True, slots=True, kw_only=True)
class OverriddenParameterContract(Contract):
    """The method ``name`` of the backend's class ``receiver`` reads ``asked`` of its ``parameter``, which the
    upstream method that it overrides, ``symbol``, declares as an object of a class of upstream."""

    receiver: str
    name: str
    parameter: str
    asked: str
    upstream: tuple[str, ...]
    told_beside: ClassVar[bool] = True


@finder(ast.FunctionDef, ast.AsyncFunctionDef)
def find_asked_parameters(node: FunctionNode, context: Context) -> Iterator[OverriddenParameterContract]:
    """The attributes that a method reads of parameters of which only upstream says, or says too, what they
    are."""
    own = context.own_class()
    if own is None or first_upstream(own, context.universe, context.upstream) is None:
        return
    base = upstream_member(own, node.name, context.universe, context.upstream)
    declared = _classes(base, context.universe) if base is not None and base.functions else {}
    plain = {a.arg for a in named_arguments(node.args) if _is_open(a, declared.get(a.arg), context)}
    wanted = (declared.keys() & plain) - tested_in(node) - _bound(node)
    seen: set[tuple[str, str]] = set()
    for read in every_node(node) if wanted else ():
        match read:
            case ast.Attribute(value=ast.Name(id=name), attr=asked, ctx=ast.Load()) if name in wanted:
                if (name, asked) not in seen and context.universe.member(declared[name], asked) is not None:
                    seen.add((name, asked))
                    yield OverriddenParameterContract(
                        symbol=base.symbol if base is not None else "", receiver=own.name, name=node.name,
                        parameter=name, asked=asked, upstream=context.upstream, place=context.place(read),
                    )  # fmt: skip


def _classes(member: Member, universe: Universe) -> dict[str, Symbol]:
    """The classes of upstream that a method's parameters are declared with, by name."""
    parameters = definition(member.functions).parameters[1:]
    found = ((p.name, universe.annotation_class(member.owner.module, p.annotation)) for p in parameters)
    return {name: class_ for name, class_ in found if class_ is not None}


def _is_open(parameter: ast.arg, declared: Symbol | None, context: Context) -> bool:
    """Whether a parameter has no annotation of its own, or the class that upstream declares."""
    if parameter.annotation is None or declared is None:
        return True
    written = ast.unparse(parameter.annotation)
    own = context.universe.annotation_class(context.file.module, written)
    return own is not None and own.name == declared.name


def _bound(node: FunctionNode) -> set[str]:
    """The names that a function gives another value, or that a function in it has for its own."""
    inner = (n for n in every_node(node) if isinstance(n, FunctionNode | ast.Lambda) and n is not node)
    names = {argument.arg for one in inner for argument in named_arguments(one.args)}
    return names | {
        n.id for n in every_node(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    }


@judge(OverriddenParameterContract)
def judge_asked_parameter(contract: OverriddenParameterContract, pair: Comparison) -> Iterator[Finding]:
    """Upstream's method is handed an object of another class now, which has no such attribute."""
    known = inherited_member(contract.receiver, contract.name, contract.upstream, pair)
    if known is None or known.after is None or not known.before.functions or not known.after.functions:
        return
    before, after = known.before, known.after
    was, now = (_classes(m, u).get(contract.parameter) for m, u in ((before, pair.old), (after, pair.new)))
    if was is None or now is None or was.name == now.name or pair.old.member(was, contract.asked) is None:
        return
    # Of a class that bears another name now, or derives from the new one, its own attributes are told.
    kept = pair.now(was.name)
    kin = {c.name for c in pair.new.lineage(kept).classes} if kept is not None else set()
    if now.name in kin or not surely_lacks(pair.new, now, contract.asked):
        return
    if kept is None and pair.successors.of(was) == now:
        return
    reason = (
        f"{after.symbol}() was given an object of {was.name} as {contract.parameter} and is given one of "
        f"{now.name} now, which {lacking(contract.asked)}"
    )
    yield Finding(
        contract, ChangeKind.PARAMETER_TYPE_CHANGED, after.symbol, Ground.PASSED_OF_OTHER_TYPE, reason,
        subject=f"{contract.parameter}.{contract.asked}",
    )  # fmt: skip
