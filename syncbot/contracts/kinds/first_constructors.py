"""Upstream classes that had no constructor in sight, only that of a base outside, and have one of their own
now: who makes objects of them, or of classes that derive from them, has to pass what it requires."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from syncbot.api.local_literals import spelled_out
from syncbot.api.signatures import Arguments, bind, function_signatures, maker
from syncbot.api.symbols import Symbol
from syncbot.api.universe import Universe
from syncbot.contracts.changes import ArgumentDetails, ChangeKind
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.context import Context
from syncbot.contracts.grounds import Ground
from syncbot.contracts.model import Contract, Finding
from syncbot.contracts.registry import finder, judge


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstConstructorContract(Contract):
    """A call with ``arguments`` of the class ``symbol``, or of the backend's own class ``receiver`` that
    derives from it, whose constructor is not seen."""

    arguments: Arguments
    receiver: str = ""


@finder(ast.Call)
def find_made(node: ast.Call, context: Context) -> Iterator[FirstConstructorContract]:
    """Objects that are made of such a class, by its name."""
    called = context.infer(node.func) if isinstance(node.func, ast.Name | ast.Attribute) else None
    if called is None or called.instance or called.symbol.kind != "class":
        return
    class_ = called.symbol
    above = next((c for c in context.universe.lineage(class_).classes if context.is_upstream(c.module)), None)
    if above is not None and maker(context.universe, class_) is None:
        arguments = Arguments.of(spelled_out(node, context.function))
        yield FirstConstructorContract(
            symbol=above.name,
            receiver=class_.name if class_.name != above.name else "",
            arguments=arguments,
            place=context.place(node),
        )


@judge(FirstConstructorContract)
def judge_made(contract: FirstConstructorContract, pair: Comparison) -> Iterator[Finding]:
    """The constructor that there is now requires what is not passed."""
    made_of = contract.receiver or contract.symbol
    before, after = pair.old.resolve(made_of), pair.now(made_of)
    if before is None or after is None or before.kind != "class" or after.kind != "class":
        return
    made = maker(pair.new, after) if maker(pair.old, before) is None else None
    if made is None or made.owner is None or not made.name.endswith(".__init__"):
        return
    if not pair.is_upstream(made.owner.name) or not _comes_first(made.owner, after, pair.new):
        return
    problems = [bind(s, contract.arguments) for s in function_signatures(made.functions, bound=True)]
    if not problems or not all(problems):
        return
    for name in [problem.name for problem in problems[-1] if problem.kind == "missing"]:
        reason = f"{contract.symbol} had no constructor of its own, and now requires {name}"
        yield Finding(
            contract, ChangeKind.PARAMETER_REQUIRED, made.name, Ground.CALL_DOES_NOT_BIND, reason,
            subject=name, details=ArgumentDetails(argument=name),
        )  # fmt: skip


def _comes_first(owner: Symbol, class_: Symbol, universe: Universe) -> bool:
    """Whether no base outside the trees, whose constructor would run instead, stands before a class."""
    while class_.name != owner.name:
        first = next(iter(universe.bases(class_)), None)
        if first is None or first[1] is None or first[1].kind != "class":
            return False
        class_ = first[1]
    return True
