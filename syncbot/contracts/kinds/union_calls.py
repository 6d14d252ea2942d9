"""Calls of methods of an object that may be of one of several classes of upstream."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

from syncbot.api.local_literals import spelled_out
from syncbot.api.methods import is_property
from syncbot.api.signatures import Arguments, bind
from syncbot.api.symbols import Symbol
from syncbot.contracts.calls.targets import CallContract, reached_in
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.context import Context
from syncbot.contracts.grounds import Ground
from syncbot.contracts.inference.called_objects import called_method
from syncbot.contracts.kinds.calls import judge_call
from syncbot.contracts.model import Contract, Finding, Verdict
from syncbot.contracts.registry import finder, judge


@dataclass(frozen=True, slots=True, kw_only=True)
class UnionCallContract(Contract):
    """One call, as a call of the method of each class that the object may be of; ``all_seen``: none of the
    classes is left out."""

    calls: tuple[CallContract, ...]
    all_seen: bool
    told_beside: ClassVar[bool] = True


@finder(ast.Call)
def find_calls_of_union(node: ast.Call, context: Context) -> Iterator[UnionCallContract]:
    """Calls of what is declared as a union, or is given objects of several classes, and of its methods."""
    if not isinstance(node.func, ast.Name | ast.Attribute) or context.infer(node.func) is not None:
        return
    classes, name = context.alternatives(node.func), "__call__"
    if not classes and isinstance(node.func, ast.Attribute):
        owner, name = node.func.value, node.func.attr
        is_known = context.infer(owner) is not None
        classes = context.told_several(owner) if is_known else context.alternatives(owner)
    arguments = Arguments.of(spelled_out(node, context.function, context.class_around)) if classes else None
    calls = [_call(class_, name, arguments, node, context) for class_ in classes if arguments]
    known = tuple(call for call in calls if call is not None)
    if known:
        yield UnionCallContract(
            symbol=known[0].symbol, calls=known, all_seen=len(known) == len(calls), place=context.place(node)
        )


def _call(
    class_: Symbol, name: str, arguments: Arguments | None, node: ast.Call, context: Context
) -> CallContract | None:
    """The call of the method that one of upstream's classes has, or that runs where its object is called."""
    called = name == "__call__"
    member = called_method(context.universe, class_) if called else context.universe.member(class_, name)
    functions = member.functions if member is not None and context.is_upstream(member.owner.module) else ()
    if member is None or arguments is None or not functions or is_property(functions[-1]):
        return None
    return CallContract(
        symbol=member.symbol, receiver=class_.name, name=name, bound=True, arguments=arguments, used=False,
        place=context.place(node),
    )  # fmt: skip


def _binds(call: CallContract, pair: Comparison) -> bool:
    """Whether one of the methods takes the call, or is not known: one that never did excuses nothing."""
    after = reached_in(call, pair)[1]
    known = after.signatures if after is not None else ()
    return not known or any(not bind(signature, call.arguments) for signature in known)


@judge(UnionCallContract)
def judge_union(contract: UnionCallContract, pair: Comparison) -> Iterator[Finding]:
    """The call does not fit one of the methods any more: a break where it fits none."""
    broken = {
        call: [f for f in judge_call(call, pair) if f.verdict is Verdict.BREAKS] for call in contract.calls
    }
    fitting = next((c.receiver for c, found in broken.items() if not found and _binds(c, pair)), None)
    seen: set[tuple[str, str]] = set()
    for finding in (found for every in broken.values() for found in every):
        if (finding.symbol, finding.subject or "") in seen:
            continue
        seen.add((finding.symbol, finding.subject or ""))
        told = replace(finding, contract=contract)
        if fitting is None and contract.all_seen:
            yield told
        else:
            other = fitting if fitting is not None else "another class"
            yield told.doubted(Ground.DOUBTED, f", but the object may be of {other}, whose method fits")
