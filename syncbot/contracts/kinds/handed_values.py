"""Values of upstream that the backend hands straight to a function which declares what it takes."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from syncbot.api.local_classes import as_written
from syncbot.api.signatures import Signature
from syncbot.api.universe import Universe
from syncbot.contracts.annotation_differences import only_head
from syncbot.contracts.calls.callees import callee
from syncbot.contracts.calls.declared_arguments import converts, parameter
from syncbot.contracts.calls.natures import NATURES
from syncbot.contracts.calls.targets import CallContract, Target, defining, reached_in
from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.comparison import Annotated, Comparison
from syncbot.contracts.context import Context
from syncbot.contracts.grounds import Ground
from syncbot.contracts.kinds.field_types import declared_field
from syncbot.contracts.model import Contract, Finding
from syncbot.contracts.registry import finder, judge


@dataclass(frozen=True, slots=True, kw_only=True)
class HandedContract(Contract):
    """A field ``name`` of an upstream object of ``receiver``, or what the call ``given`` returns, is the
    argument ``key`` (by place or keyword) of the call ``taker``."""

    taker: CallContract
    key: str
    receiver: str = ""
    name: str = ""
    given: CallContract | None = None


@finder(ast.Call)
def find_handed(node: ast.Call, context: Context) -> Iterator[HandedContract]:
    """``f(upstream.field)`` and ``f(upstream())``."""
    handed = list(_values(node, context))
    taker = callee(node.func, context.place(node), context) if handed else None
    if taker is None:
        return
    for key, argument, symbol, value in handed:
        place = context.place(argument)
        if isinstance(value, CallContract):
            yield HandedContract(symbol=symbol, place=place, taker=taker, key=key, given=value)
        else:
            receiver, name = value
            yield HandedContract(
                symbol=symbol, place=place, taker=taker, key=key, receiver=receiver, name=name
            )


_Value = CallContract | tuple[str, str]


def _values(node: ast.Call, context: Context) -> Iterator[tuple[str, ast.expr, str, _Value]]:
    """The arguments that upstream declares, each with its key."""
    arguments: list[tuple[str, ast.expr]] = []
    for place, argument in enumerate(node.args):
        if isinstance(argument, ast.Starred):
            break
        arguments.append((str(place), argument))
    arguments += [(keyword.arg, keyword.value) for keyword in node.keywords if keyword.arg]
    for key, argument in arguments:
        match argument:
            case ast.Attribute(value=owner, attr=name):
                base = context.infer(owner)
                field = (
                    declared_field(context.universe, base.symbol, name) if base and base.instance else None
                )
                if base is not None and field is not None and context.is_upstream(field[0].module):
                    yield key, argument, f"{field[0].name}.{name}", (base.symbol.name, name)
            case ast.Call(func=function):
                called = callee(function, context.place(argument), context)
                symbol = defining(called, context.universe) if called is not None else None
                if called is not None and symbol is not None and context.is_upstream(symbol):
                    yield key, argument, symbol, called


@judge(HandedContract)
def judge_handed(contract: HandedContract, pair: Comparison) -> Iterator[Finding]:
    """The value is declared to be of another nature than what takes it."""
    field = contract.given is None
    declared = _of_field(contract, pair) if contract.given is None else _of_call(contract.given, pair)
    if declared is None or declared[1] == declared[2]:
        return
    symbol, before, after = declared
    was, now = _nature(pair.old, before), _nature(pair.new, after)
    if was is None or now not in NATURES.values() or was == now:
        return
    taker = _taker(contract, was, pair)
    if taker is None:
        return
    declares = " was declared as" if field else "() was declared to return"
    reason = f"{symbol}{declares} {_said(before)} and now {_said(after)}; {taker}"
    kind = ChangeKind.FIELD_TYPE_CHANGED if field else ChangeKind.RETURN_TYPE_CHANGED
    yield Finding(contract, kind, symbol, Ground.PASSED_OF_OTHER_TYPE, reason, subject=contract.name)


def _taker(contract: HandedContract, nature: str, pair: Comparison) -> str | None:
    """In words what takes the value, if it declares, before and now, values of such a nature."""
    before, after = reached_in(contract.taker, pair)
    if before is None or after is None:
        return None
    was, now = _taken(before.signatures, contract.key), _taken(after.signatures, contract.key)
    if was is None or now is None or _tests(after, contract.key, pair.new):
        return None
    if {_nature(pair.old, (before.module, was)), _nature(pair.new, (after.module, now))} != {nature}:
        return None
    return f"{after.symbol}(), which is given it here, takes {now}"


def _said(annotated: Annotated) -> str:
    """An annotation as its source has it."""
    return as_written(annotated[1] or "")


def _of_field(contract: HandedContract, pair: Comparison) -> tuple[str, Annotated, Annotated] | None:
    """The field, and what it was and is declared as."""
    old_class, new_class = pair.old.resolve(contract.receiver), pair.now(contract.receiver)
    if old_class is None or new_class is None:
        return None
    before = declared_field(pair.old, old_class, contract.name)
    after = declared_field(pair.new, new_class, contract.name)
    if before is None or after is None:
        return None
    symbol = f"{after[0].name}.{contract.name}"
    return symbol, (before[0].module, before[1].annotation), (after[0].module, after[1].annotation)


def _of_call(given: CallContract, pair: Comparison) -> tuple[str, Annotated, Annotated] | None:
    """The function, and what it was and is declared to return."""
    before, after = reached_in(given, pair)
    if before is None or after is None or not before.functions or not after.functions:
        return None
    was, now = before.functions[-1], after.functions[-1]
    if was.is_async or now.is_async or was.is_generator or now.is_generator:
        return None
    return after.symbol, (before.module, was.annotation), (after.module, now.annotation)


def _taken(signatures: tuple[Signature, ...], key: str) -> str | None:
    """The annotation of the parameter that an argument goes to."""
    found = parameter(signatures[0], key) if len(signatures) == 1 else None
    return found.annotation if found is not None and found.kind not in ("*", "**") else None


def _tests(taker: Target, key: str, universe: Universe) -> bool:
    """Whether what takes an argument looks at its type, or is not seen."""
    found = parameter(taker.signatures[0], key)
    if found is None or len(taker.running) != 1:
        return True
    owner = taker.owner.qualname if taker.owner is not None else ""
    return converts(universe, taker.module, taker.running[0], owner, found.name, "")


def _nature(universe: Universe, annotated: Annotated) -> str | None:
    """Return what can be done with a value of an annotation: that of a built-in type, or the class itself;
    None where it is not one class."""
    module, annotation = annotated
    head = only_head(annotation)
    if head is None or head in NATURES:
        return NATURES.get(head or "")
    found = universe.annotation_class(module, annotation)
    if found is not None:
        # A named tuple is a series as well, and other classes may derive from built-in ones.
        return None if universe.lineage(found).external else found.name
    written = universe.local(module, head)
    outside = written is not None and written.kind == "unknown" and universe.tree_of(written.module) is None
    return head if outside or "." in (annotation or "") else None
