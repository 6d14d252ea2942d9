"""Upstream handles the arguments of a call that binds: hands on, refuses, declares otherwise."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from syncbot.api.expressions import FunctionNode
from syncbot.api.signatures import Arguments
from syncbot.api.symbols import Symbol
from syncbot.api.universe import Universe
from syncbot.contracts.attributes.metaclasses import own_metaclasses
from syncbot.contracts.calls.binding import renamed_in_place
from syncbot.contracts.calls.declared_arguments import allowed, converts, differing, excluded
from syncbot.contracts.calls.forwarded_keywords import Reached, names, takes, takes_out
from syncbot.contracts.calls.handed_on_calls import lacking
from syncbot.contracts.calls.kept_keywords import keeps_the_rest
from syncbot.contracts.calls.known_values import Constant, Known
from syncbot.contracts.calls.refused_arguments import Raised, Running, refusal
from syncbot.contracts.calls.targets import CallContract, Target
from syncbot.contracts.calls.used_attributes import asked_in_vain, lacked_by_literals
from syncbot.contracts.changes import ArgumentDetails, ChangeKind
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.conditions.caught_errors import is_caught
from syncbot.contracts.function_sources import function_node
from syncbot.contracts.grounds import Ground
from syncbot.contracts.model import Finding

# Longer values are cut in a table.
_CALL = re.compile(r"[\w.]+\(")


def declares(universe: Universe, class_: Symbol, name: str) -> bool:
    """Whether a class with a metaclass has a member of that name that is what a call makes."""
    member = universe.member(class_, name)
    if member is None or not any(own_metaclasses(universe, class_)):
        return False
    return any(not a.origin and _CALL.match(a.value or "") is not None for a in member.attributes)


def lacks(universe: Universe, class_: Symbol, name: str) -> bool:
    """Whether a class with a metaclass certainly has no member of that name."""
    return (
        any(own_metaclasses(universe, class_))
        and universe.member(class_, name) is None
        and not universe.is_open(class_)
    )


def handed_on_to_none(
    contract: CallContract, before: Target, after: Target, pair: Comparison
) -> Iterator[Finding]:
    """Keywords that upstream took, and now hands on to what does not take them."""
    if len(before.running) != 1 or len(after.running) != 1 or not after.signatures[-1].has("**"):
        return
    given = None if contract.arguments.hides_keywords else frozenset(contract.arguments.keywords)
    was = Reached(before.module, before.running[0], before.owner, given=given)
    now = Reached(after.module, after.running[0], after.owner, given=given)
    for keyword in contract.arguments.keywords:
        if keyword in after.signatures[-1].names:
            continue
        taken, renamed = takes(pair.new, now, keyword), None
        reason = f"{after.symbol}() no longer takes {keyword}"
        if taken is False and takes(pair.old, was, keyword):
            reason += ": it hands it on to what does not take it"
        elif taken is None and not names(pair.new, now, keyword):
            renamed = renamed_in_place(before.signatures[-1], after.signatures[-1]).get(keyword)
            if renamed is not None:
                reason += f"; it takes {renamed} instead"
            elif takes_out(pair.old, was, keyword) and not _is_kept(now, pair):
                reason += " out of its keywords"
            elif _field_is_gone(contract, keyword, pair):
                reason += ": the class declares no such field any more"
            else:
                continue
        else:
            continue
        kind = ChangeKind.PARAMETER_RENAMED if renamed else ChangeKind.PARAMETER_REMOVED
        yield Finding(
            contract, kind, after.symbol, Ground.FORWARDED, reason,
            subject=keyword, details=ArgumentDetails(argument=keyword, new_name=renamed),
        )  # fmt: skip


def _is_kept(reached: Reached, pair: Comparison) -> bool:
    """Whether a constructor sets what is left of its keywords on the object, as if they had been taken."""
    owner = reached.owner
    return owner is not None and reached.function.name == "__init__" and keeps_the_rest(pair.new, owner)


def _field_is_gone(contract: CallContract, name: str, pair: Comparison) -> bool:
    """Whether a class declared a field for its metaclass to make a keyword of, and does so no more."""
    was, now = pair.old.resolve(contract.symbol), pair.now(contract.symbol)
    if contract.receiver or was is None or now is None or was.kind != "class" or now.kind != "class":
        return False
    return declares(pair.old, was, name) and lacks(pair.new, now, name)


def refused(contract: CallContract, before: Target, after: Target, pair: Comparison) -> Iterator[Finding]:
    """Upstream now raises for what is passed, or for what is left out."""
    if len(before.running) != 1 or len(after.running) != 1:
        return
    # A function that is the same may look into a table of its module that is not.
    same = before.running[0].body == after.running[0].body
    if same and not (contract.arguments.constants and after.module in pair.changed):
        return
    raised = _refusal(contract.arguments, after, pair.new)
    if raised is None or _refusal(contract.arguments, before, pair.old) is not None:
        return
    named = (p.name for p in after.running[0].parameters if re.search(rf"\b{p.name}\b", raised.condition))
    condition = f": {raised.condition}" if raised.condition else ""
    yield Finding(
        contract, ChangeKind.ARGUMENT_REFUSED, after.symbol,
        Ground.TESTED_FOR if is_caught(raised.raised, contract.caught) else Ground.ARGUMENT_REFUSED,
        f"{after.symbol}() now raises {raised.raised} for this call{condition}",
        subject=next(named, ""),
    )  # fmt: skip


def of_another_type(
    contract: CallContract, before: Target, after: Target, pair: Comparison
) -> Iterator[Finding]:
    """Yield a finding where what is passed, as it is written, was of the declared type and is not of the
    class declared now."""
    if len(before.running) != 1 or len(after.running) != 1:
        return
    old, new = before.signatures[-1], after.signatures[-1]
    for was, now, type_ in differing(old, new, dict(contract.types)):
        class_ = excluded(pair.new, after.module, now.annotation, type_)
        if class_ is None or not allowed(was.annotation, type_):
            continue
        owner = after.owner.qualname if after.owner is not None else ""
        if converts(
            pair.new, after.module, after.running[0], owner, now.name, class_.qualname.rpartition(".")[2]
        ):
            continue
        yield Finding(
            contract, ChangeKind.PARAMETER_TYPE_CHANGED, after.symbol, Ground.PASSED_OF_OTHER_TYPE,
            f"{after.symbol}() took {now.name} as {was.annotation} and takes {now.annotation}: "
            f"this passes a {type_}",
            subject=now.name,
        )  # fmt: skip


def _refusal(arguments: Arguments, target: Target, universe: Universe) -> Raised | None:
    """Why a call raises in one tree."""
    signature = target.signatures[-1]
    literals = {key: Constant(ast.literal_eval(text)) for key, text in arguments.constants}
    given: dict[str, Known] = {}
    for place, parameter in enumerate(signature.positional):
        if place < arguments.positional or arguments.starred:
            given[parameter.name] = None if arguments.starred else literals.get(str(place))
    given.update((keyword, literals.get(keyword)) for keyword in arguments.keywords)
    if arguments.hides_keywords:
        given.update((p.name, None) for p in signature.parameters if p.name not in given)
    catcher = next((p.name for p in signature.parameters if p.kind == "**"), None)
    if catcher is not None and not arguments.hides_keywords:
        further = (keyword for keyword in arguments.keywords if keyword not in signature.names)
        given[catcher] = Constant(dict.fromkeys(further))
    owner = target.owner.qualname if target.owner is not None else ""
    return refusal(universe, Running(target.module, target.running[0], owner), given)


def required_further(
    contract: CallContract, before: Target, after: Target, pair: Comparison
) -> Iterator[Finding]:
    """The function that upstream hands all arguments on to requires one that this call does not pass."""
    if len(before.running) != 1 or len(after.running) != 1 or not after.signatures[-1].has("**"):
        return
    now = lacking(pair.new, Reached(after.module, after.running[0], after.owner), contract.arguments)
    if now is None:
        return
    was = lacking(pair.old, Reached(before.module, before.running[0], before.owner), contract.arguments)
    if was is None:
        yield Finding(
            contract, ChangeKind.PARAMETER_ADDED, now.callee, Ground.HANDED_ON_REQUIRES,
            f"{now.callee}() now requires {now.parameter}: {after.symbol}() hands on what this passes",
            subject=now.parameter, details=ArgumentDetails(argument=now.parameter),
        )  # fmt: skip


def lacks_what_is_read(
    contract: CallContract, before: Target, after: Target, pair: Comparison
) -> Iterator[Finding]:
    """Upstream now reads an attribute of an argument that what is passed, as it is written, lacks."""
    typed = [(key, type_) for key, type_ in contract.types if not key.isdecimal()]
    if not typed or len(before.running) != 1 or len(after.running) != 1:
        return
    nodes = _node(before, pair.old), _node(after, pair.new)
    for key, type_ in typed:
        lacks = lacked_by_literals(type_)
        now = asked_in_vain(nodes[1], after.running[0], key, lacks)
        if now is not None and asked_in_vain(nodes[0], before.running[0], key, lacks) is None:
            yield Finding(
                contract, ChangeKind.PARAMETER_TYPE_CHANGED, after.symbol, Ground.PASSED_OF_OTHER_TYPE,
                f"{after.symbol}() now reads {now} of {key}: this passes a {type_}, which has none",
                subject=key,
            )  # fmt: skip


def _node(target: Target, universe: Universe) -> FunctionNode | None:
    owner = target.owner.qualname if target.owner is not None else ""
    return function_node(universe, target.module, target.running[0], owner)
