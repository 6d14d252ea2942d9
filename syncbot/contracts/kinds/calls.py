"""Calls of upstream functions, methods and constructors: the arguments they pass, what they unpack."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import replace

from syncbot.api.expressions import dotted
from syncbot.api.local_literals import spelled_out
from syncbot.api.signatures import Arguments, Signature, bind, function_signatures, maker
from syncbot.api.universe import Universe
from syncbot.contracts.attributes.type_forms import no_class_any_more, type_form_of_class
from syncbot.contracts.calls.adapting_decorators import (
    by_place_too,
    gives_the_new_name,
    new_name,
    takes_the_old_name,
    with_old_names,
)
from syncbot.contracts.calls.arguments import (
    handed_on_to_none,
    lacks_what_is_read,
    of_another_type,
    refused,
    required_further,
)
from syncbot.contracts.calls.binding import compare_binding
from syncbot.contracts.calls.callees import callee
from syncbot.contracts.calls.declared_arguments import passed_types
from syncbot.contracts.calls.empty_rest import without_empty_rest
from syncbot.contracts.calls.handing_constructors import past_handing
from syncbot.contracts.calls.literal_values import left_out
from syncbot.contracts.calls.passed_objects import of_another_class, passed_objects
from syncbot.contracts.calls.passed_sometimes import GONE, handed_on_sometimes, passed_sometimes
from syncbot.contracts.calls.redeclared_fields import redeclared
from syncbot.contracts.calls.renamed_parameters import passes_on
from syncbot.contracts.calls.replaced_parameters import replaced_by_place
from syncbot.contracts.calls.results import other_result
from syncbot.contracts.calls.second_attempts import one_fits, other_arms, other_attempts
from syncbot.contracts.calls.targets import CallContract, Target, called_member, defining, reached, reached_in
from syncbot.contracts.calls.undeclared_fields import leaves_out_undeclared
from syncbot.contracts.calls.uses_of_names import taker, used_by_version
from syncbot.contracts.changes import ArgumentDetails, ChangeKind
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.conditions.caught_errors import caught_around
from syncbot.contracts.context import Context
from syncbot.contracts.derived_classes import derived_from
from syncbot.contracts.grounds import Ground
from syncbot.contracts.model import Finding, Verdict
from syncbot.contracts.registry import audit, finder, judge

# What does more with a result than to hand it on.
_TAKING = (ast.Assign, ast.AnnAssign, ast.For, ast.AsyncFor, ast.comprehension, ast.Subscript, ast.Attribute)
# Longer literals are data.
_LONGEST = 100


@finder(ast.Call)
def find_calls(node: ast.Call, context: Context) -> Iterator[CallContract]:
    """Calls whose callee is known."""
    yield from context.at(node, _calls)


def _calls(node: ast.Call, context: Context) -> Iterator[CallContract]:
    named = callee(node.func, context.place(node), context)
    named = past_handing(named, context) if named is not None else None
    target = defining(named, context.universe) if named is not None else None
    if named is None or target is None:
        return
    if not context.is_upstream(target) and not _inherits_fields(named, context):
        return
    call = without_empty_rest(spelled_out(node, context.function, context.class_around), context)
    _, around = taker(node, context.parents)
    yield replace(
        named,
        arguments=replace(
            Arguments.of(call), named=tuple(_named(a) for a in call.args), constants=tuple(_constants(call))
        ),
        unpack=_unpacked(node, context),
        used=not isinstance(around, ast.Expr) and not _handed_on(node, context),
        taken=isinstance(around, _TAKING) and not _is_for_versions(around, context),
        awaited=isinstance(context.parent, ast.Await),
        types=tuple(passed_types(call, context)),
        objects=tuple(passed_objects(node, context)),
        otherwise=tuple(other_attempts(node, context.parents)),
        in_other_arm=tuple(other_arms(node, context.parents)),
        caught=tuple(sorted(set(caught_around(context.parents, node)))),
    )


def _is_for_versions(around: ast.AST, context: Context) -> bool:
    """Whether a result is given a name that is used by the version."""
    match around:
        case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
            text = context.file.text
            said = b"ersion" in text or b"VERSION" in text
            return said and name in used_by_version(context.function)
    return False


def _inherits_fields(contract: CallContract, context: Context) -> bool:
    """Whether a class of the backend is called that takes fields of an upstream one."""
    class_ = context.universe.resolve(contract.symbol) if not contract.receiver else None
    made = maker(context.universe, class_) if class_ is not None and class_.kind == "class" else None
    return made is not None and bool(made.fields) and any(context.is_upstream(c.module) for c in made.classes)


@finder(ast.Call, words=("partial",))
def find_partials(node: ast.Call, context: Context) -> Iterator[CallContract]:
    """``partial(f, …)`` passes what ``f``, a method or a class has to accept; the rest may follow later."""
    if not node.args or (dotted(node.func) or "").rpartition(".")[2] != "partial":
        return
    if not isinstance(node.args[0], ast.Name | ast.Attribute):
        return
    named = callee(node.args[0], context.place(node), context)
    named = past_handing(named, context) if named is not None else None
    target = defining(named, context.universe) if named is not None else None
    if named is not None and target is not None and context.is_upstream(target):
        given = ast.Call(func=node.args[0], args=node.args[1:], keywords=node.keywords)
        arguments = Arguments.of(spelled_out(given, context.function))
        yield replace(named, arguments=replace(arguments, starred=True, double_starred=True), used=False)


def _handed_on(node: ast.Call, context: Context) -> bool:
    """Whether an override returns what the method that it overrides does: it is for the callers to use."""
    match node.func:
        case ast.Attribute(value=ast.Call(func=ast.Name(id="super")), attr=name):
            return isinstance(context.parent, ast.Return) and context.qualname[-1:] == (name,)
    return False


def _named(node: ast.expr) -> str:
    if isinstance(node, ast.Constant) and node.value is not None:
        return f"<{type(node.value).__name__}>"
    return (dotted(node) or "").rpartition(".")[2]


def _constants(node: ast.Call) -> Iterator[tuple[str, str]]:
    """The literals that a call passes: what stands after a star has no known place."""
    for place, argument in enumerate(node.args):
        if isinstance(argument, ast.Starred):
            break
        if _is_literal(argument):
            yield str(place), ast.unparse(argument)
    yield from ((k.arg, ast.unparse(k.value)) for k in node.keywords if k.arg and _is_literal(k.value))


def _is_literal(node: ast.expr) -> bool:
    match node:
        case ast.Constant(value=value):
            return not isinstance(value, str | bytes) or len(value) <= _LONGEST
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float())):
            return True
        case ast.Tuple(elts=elements) | ast.List(elts=elements):
            return len(elements) <= _LONGEST and all(map(_is_literal, elements))
    return False


def _unpacked(node: ast.Call, context: Context) -> int | None:
    around = (p for p in reversed(context.parents) if not isinstance(p, ast.Await))
    return unpacked_into(next(around, None))


def unpacked_into(parent: ast.AST | None) -> int | None:
    """The number of targets that a statement unpacks a value into, None where it does not or takes any."""
    match parent:
        case ast.Assign(targets=[ast.Tuple(elts=targets) | ast.List(elts=targets)]):
            return None if any(isinstance(t, ast.Starred) for t in targets) else len(targets)
    return None


@judge(CallContract)
def judge_call(contract: CallContract, pair: Comparison) -> Iterator[Finding]:
    """The call no longer binds, binds to other parameters, or its result has another shape."""
    for finding in _judged(contract, pair):
        doubtful = contract.perhaps and finding.verdict is Verdict.BREAKS
        yield finding.doubted(Ground.DOUBTED, "; but another one may be called here") if doubtful else finding


def _judged(contract: CallContract, pair: Comparison) -> Iterator[Finding]:
    before, after = reached_in(contract, pair)
    if before is None or after is None or not after.signatures or not before.signatures:
        yield from _of_type_form(contract, pair)
        return
    arguments, signatures = contract.arguments, after.signatures
    if all(bind(s, arguments) for s in signatures):
        signatures = by_place_too(pair.new, after.module, after.running, signatures)
    symbol, callee = _upstream_symbol(contract, after, pair), f"{after.symbol}()"
    former = with_old_names(before.running, after.running, before.signatures, arguments.keywords)
    unbound = list(compare_binding(contract, symbol, callee, arguments, former, signatures))
    if not unbound:
        unbound = list(passed_sometimes(contract, symbol, callee, before, after, signatures))
    anew = bool(unbound) and one_fits(contract.otherwise, signatures)
    chosen = bool(unbound) and one_fits(contract.in_other_arm, signatures)
    own = _own_that_fits(contract, pair) if unbound else None
    for finding in unbound:
        if anew:
            yield finding.doubted(Ground.TESTED_FOR, "; but the TypeError is caught, and another call fits")
        elif chosen:
            why = "; but a parameter decides which of two calls runs, and the other one fits"
            yield finding.doubted(Ground.TESTED_FOR, why)
        elif own is not None:
            yield finding.doubted(Ground.OWN_OBJECT, f"; but the object may be of {own}, whose method fits")
        elif _is_adapted(finding, after, arguments.keywords):
            yield finding.doubted(Ground.DOUBTED, "; but a decorator there is given that name")
        elif finding.kind in GONE and _leaves_out(contract, after, pair):
            yield finding.doubted(Ground.LEFT_OUT, "; pydantic leaves it out without a word")
        else:
            yield _with_precedent(_with_new_name(finding, before, signatures[-1]), pair)
    yield from _of_arguments(contract, before, after, unbound, pair)
    yield from other_result(contract, before, after, pair)


def _is_adapted(finding: Finding, after: Target, passed: Sequence[str]) -> bool:
    """Whether a decorator of what is called knows the keyword that is gone, or what took its place."""
    old = finding.kind in GONE and takes_the_old_name(after.running, finding.subject)
    return old or gives_the_new_name(after.running, finding.subject, passed)


def _of_arguments(
    contract: CallContract, before: Target, after: Target, unbound: list[Finding], pair: Comparison
) -> Iterator[Finding]:
    """Yield what the arguments meet that bind, in a call that does or only passes a keyword too many."""
    if all(finding.kind in GONE for finding in unbound):
        yield from replaced_by_place(contract, before, after, pair)
    if not unbound:
        yield from handed_on_to_none(contract, before, after, pair)
        yield from handed_on_sometimes(contract, before, after, pair)
        refusals = list(refused(contract, before, after, pair))
        yield from refusals or left_out(contract, before, after, pair)
        yield from of_another_type(contract, before, after, pair)
        yield from of_another_class(contract, before, after, pair)
        yield from redeclared(contract, before, after, pair)
        yield from required_further(contract, before, after, pair)
        yield from lacks_what_is_read(contract, before, after, pair)


def _of_type_form(contract: CallContract, pair: Comparison) -> Iterator[Finding]:
    """The class that is called is a form for type checkers now, which makes no objects."""
    if contract.receiver:
        return
    form = type_form_of_class(pair.old.resolve(contract.symbol), pair.now(contract.symbol))
    if form is not None:
        yield Finding(
            contract, ChangeKind.TYPE_CHANGED, contract.symbol, Ground.MEMBER_GONE,
            no_class_any_more(contract.symbol, form),
        )  # fmt: skip


def _leaves_out(contract: CallContract, after: Target, pair: Comparison) -> bool:
    """Whether a constructor is called that goes well with what it does not declare."""
    class_ = pair.now(contract.symbol) if not (contract.receiver or after.functions) else None
    return class_ is not None and class_.kind == "class" and leaves_out_undeclared(pair.new, class_)


def _own_that_fits(contract: CallContract, pair: Comparison) -> str | None:
    """A class of the backend below the one that an object is known to be of, with a method of its own that
    takes what is passed."""
    owner = (
        pair.now(contract.receiver) if contract.bound and contract.receiver and not contract.skip else None
    )
    if owner is None or owner.kind != "class" or pair.new.tree_of(owner.module) is not pair.new_tree:
        return None
    for own in derived_from(owner, pair.own_tree, pair):
        member = called_member(contract, own, pair.new)
        if member is not None and member.functions and pair.own_tree.owns(member.owner.module):
            signatures = function_signatures(member.functions, contract.bound)
            if any(not bind(signature, contract.arguments) for signature in signatures):
                return own.name
    return None


def _upstream_symbol(contract: CallContract, after: Target, pair: Comparison) -> str:
    """Return what is called; for a class of the backend, the upstream one whose fields it takes."""
    class_ = pair.new.resolve(contract.symbol) if pair.own_tree.owns(after.symbol) else None
    above = pair.new.lineage(class_).classes if class_ is not None and class_.kind == "class" else ()
    return next((c.name for c in above if pair.new_tree.owns(c.module)), after.symbol)


def _with_new_name(finding: Finding, before: Target, signature: Signature) -> Finding:
    """A lost parameter with the new name that the decorator gave it which took the old one until now."""
    match finding.details:
        case ArgumentDetails(argument=old, new_name=None) if finding.kind is ChangeKind.PARAMETER_REMOVED:
            new = new_name(before.running, old, signature)
            if new is not None:
                return replace(
                    finding,
                    kind=ChangeKind.PARAMETER_RENAMED,
                    reason=f"{finding.reason}; it takes {new} instead",
                    details=ArgumentDetails(argument=old, new_name=new),
                )
    return finding


def _with_precedent(finding: Finding, pair: Comparison) -> Finding:
    """A renamed parameter with the upstream call that shows it, where there is one."""
    match finding.details:
        case ArgumentDetails(argument=old, new_name=str(new)):
            function = finding.symbol.removesuffix(".__init__").rpartition(".")[2]
            details = ArgumentDetails(
                argument=old, new_name=new, precedent=passes_on(pair, function, old, new)
            )
            return replace(finding, details=details)
    return finding


@audit(CallContract)
def audit_call(contract: CallContract, universe: Universe) -> Iterator[str]:
    """The call does not bind; whatever it lacks is one message."""
    target = reached(contract, universe, universe.resolve)
    if target is None or not target.signatures:
        return
    broken = [bind(s, contract.arguments) for s in target.signatures]
    others = (*contract.otherwise, *contract.in_other_arm)
    if all(broken) and not one_fits(others, target.signatures):
        wrong = {
            "missing": "requires",
            "unexpected": "does not take",
            "too-many": "takes at most",
            "twice": "is given twice",
        }
        told = ", ".join(f"{wrong[problem.kind]} {problem.name}" for problem in broken[-1])
        yield f"{target.symbol}() {told}"
