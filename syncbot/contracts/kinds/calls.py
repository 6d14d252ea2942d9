"""Calls of upstream functions, methods and constructors: the arguments they pass, what they unpack."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from syncbot.api.expressions import dotted, expression
from syncbot.api.model import Function
from syncbot.api.signatures import Arguments, Signature, bind, constructor, function_signatures, maker
from syncbot.api.symbols import Symbol
from syncbot.api.universe import Universe
from syncbot.contracts.adapting_decorators import by_place_too
from syncbot.contracts.binding import compare_binding, renamed_in_place
from syncbot.contracts.changes import ArgumentDetails, ChangeKind
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.context import Context
from syncbot.contracts.declared_arguments import allowed, converts, differing, excluded, passed_types
from syncbot.contracts.declared_fields import declares, lacks
from syncbot.contracts.forwarded_keywords import Reached, names, takes, takes_out
from syncbot.contracts.grounds import Ground
from syncbot.contracts.inference import Value, is_classmethod, is_property, is_static
from syncbot.contracts.known_values import Constant, Known
from syncbot.contracts.model import Contract, Finding
from syncbot.contracts.refused_arguments import Raised, Running, refusal
from syncbot.contracts.registry import audit, finder, judge
from syncbot.contracts.renamed_parameters import passes_on

# Longer literals are data.
_LONGEST = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class CallContract(Contract):
    """A call of ``symbol``, a method with ``receiver`` and ``name``; ``bound``: the receiver fills the first
    parameter. The result is unpacked into ``unpack`` targets, or ``used``; imports name it by ``aliases``;
    ``types`` are those of arguments that are no names."""

    arguments: Arguments
    receiver: str = ""
    name: str = ""
    skip: int = 0
    bound: bool = False
    unpack: int | None = None
    used: bool = True
    awaited: bool = False
    aliases: tuple[str, ...] = ()
    types: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Target:
    """What a call reaches in one tree: the defining symbol, its signatures, the functions behind them; those
    that it runs, ``__init__`` included, stand in ``module``, in the class ``owner``."""

    symbol: str
    signatures: tuple[Signature, ...]
    functions: tuple[Function, ...] = ()
    running: tuple[Function, ...] = ()
    module: str = ""
    owner: Symbol | None = None


@finder(ast.Call)
def find_calls(node: ast.Call, context: Context) -> Iterator[CallContract]:
    """Calls whose callee is known."""
    symbol, receiver, name, skip, bound = "", "", "", 0, False
    aliases: tuple[str, ...] = ()
    if isinstance(node.func, ast.Attribute):
        base = context.infer(node.func.value)
        if base is None:
            return
        if base.instance or base.symbol.kind == "class":
            receiver, name, skip, bound = base.symbol.name, node.func.attr, base.skip, base.instance
            member = context.universe.member(base.symbol, name, skip)
            if member is None:
                return
            symbol = member.symbol
            held = context.infer(node.func) if not member.functions else None
            if held is not None and not held.instance and held.symbol.kind == "class":
                symbol, receiver, name, skip, bound = held.symbol.name, "", "", 0, False
        else:
            symbol = f"{base.symbol.name}.{node.func.attr}"
    else:
        called = context.infer(node.func)
        if called is None or called.instance:
            return
        symbol, bound = called.symbol.name, called.bound
        aliases = tuple(f"{module}.{called.symbol.qualname}" for module in called.symbol.via)
    contract = CallContract(
        symbol=symbol,
        arguments=replace(
            Arguments.of(node), named=tuple(_named(a) for a in node.args), constants=tuple(_constants(node))
        ),
        receiver=receiver,
        name=name,
        skip=skip,
        bound=bound,
        unpack=_unpacked(node, context),
        used=not isinstance(context.parent, ast.Expr) and not _handed_on(node, context),
        awaited=isinstance(context.parent, ast.Await),
        aliases=aliases,
        types=tuple(passed_types(node, context)),
        place=context.place(node),
    )
    target = defining(contract, context.universe)
    if target is not None and (context.is_upstream(target) or _inherits_fields(contract, context)):
        yield contract


def _inherits_fields(contract: CallContract, context: Context) -> bool:
    """Whether a class of the backend is called that takes fields of an upstream one."""
    class_ = context.universe.resolve(contract.symbol) if not contract.receiver else None
    made = maker(context.universe, class_) if class_ is not None and class_.kind == "class" else None
    return made is not None and bool(made.fields) and any(context.is_upstream(c.module) for c in made.classes)


@finder(ast.Call)
def find_partials(node: ast.Call, context: Context) -> Iterator[CallContract]:
    """``partial(f, …)`` passes keywords that ``f`` has to accept; what is missing may follow later."""
    if (dotted(node.func) or "").rpartition(".")[2] != "partial" or not node.args:
        return
    called: Value | None = context.infer(node.args[0])
    if called is None or called.instance or called.symbol.kind != "function" or called.bound:
        return
    if context.is_upstream(called.symbol.module):
        keywords = tuple(k.arg for k in node.keywords if k.arg)
        arguments = Arguments(len(node.args) - 1, keywords, True, True)
        yield CallContract(symbol=called.symbol.name, arguments=arguments, place=context.place(node))


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


def defining(contract: CallContract, universe: Universe) -> str | None:
    """The symbol of what :func:`reached` tells, without asking what it takes."""
    if contract.receiver:
        owner = universe.resolve(contract.receiver)
        if owner is None or owner.kind != "class":
            return None
        member = universe.member(owner, contract.name, contract.skip)
        functions = member.functions if member is not None else ()
        return member.symbol if member is not None and functions and not is_property(functions[-1]) else None
    symbol = universe.resolve(contract.symbol)
    if symbol is None or symbol.kind not in ("function", "class"):
        return None
    if symbol.kind == "function":
        return symbol.name
    made = maker(universe, symbol)
    return made.name if made is not None else None


def reached(
    contract: CallContract, universe: Universe, resolve: Callable[[str], Symbol | None]
) -> Target | None:
    """What the call reaches in a universe, None where it reaches nothing that can be told."""
    if contract.receiver:
        owner = resolve(contract.receiver)
        if owner is None or owner.kind != "class":
            return None
        member = universe.member(owner, contract.name, contract.skip)
        if member is None:
            return None
        functions = member.functions
        if functions and not is_property(functions[-1]):
            filled = not is_static(functions[-1]) and (contract.bound or is_classmethod(functions[-1]))
            signatures = function_signatures(functions, filled)
            home = member.owner
            return Target(member.symbol, signatures, functions, functions, home.module, home)
        return None
    symbol = resolve(contract.symbol)
    if symbol is None:
        return None
    if symbol.kind == "function":
        functions = symbol.functions
        inside = universe.resolve(symbol.name.rpartition(".")[0]) if "." in symbol.qualname else None
        signatures = function_signatures(functions, contract.bound)
        return Target(symbol.name, signatures, functions, functions, symbol.module, inside)
    if symbol.kind == "class":
        made, known = constructor(universe, symbol), maker(universe, symbol)
        if made is None or known is None or known.owner is None:
            return None if made is None else Target(made[1], made[0])
        return Target(made[1], made[0], (), known.functions, known.owner.module, known.owner)
    return None


def reached_in(call: CallContract, pair: Comparison) -> tuple[Target | None, Target | None]:
    """What the call reaches in the old tree, and in the new one."""
    return reached(call, pair.old, pair.old.resolve), reached(call, pair.new, pair.now)


@judge(CallContract)
def judge_call(contract: CallContract, pair: Comparison) -> Iterator[Finding]:
    """The call no longer binds, binds to other parameters, or its result has another shape."""
    before, after = reached_in(contract, pair)
    if before is None or after is None or not after.signatures or not before.signatures:
        return
    arguments, signatures = contract.arguments, after.signatures
    if all(bind(s, arguments) for s in signatures):
        signatures = by_place_too(pair.new, after.module, after.running, signatures)
    symbol, callee = _upstream_symbol(contract, after, pair), f"{after.symbol}()"
    unbound = list(compare_binding(contract, symbol, callee, arguments, before.signatures, signatures))
    for finding in unbound:
        yield _with_precedent(finding, pair)
    if not unbound:
        yield from handed_on_to_none(contract, before, after, pair)
        yield from refused(contract, before, after, pair)
        yield from _of_another_type(contract, before, after, pair)
    yield from _other_result(contract, before, after, pair)


def _upstream_symbol(contract: CallContract, after: Target, pair: Comparison) -> str:
    """What is called; for a class of the backend, the upstream one whose fields it takes."""
    class_ = pair.new.resolve(contract.symbol) if pair.own_tree.owns(after.symbol) else None
    above = pair.new.lineage(class_).classes if class_ is not None and class_.kind == "class" else ()
    return next((c.name for c in above if pair.new_tree.owns(c.module)), after.symbol)


def handed_on_to_none(
    contract: CallContract, before: Target, after: Target, pair: Comparison
) -> Iterator[Finding]:
    """Keywords that upstream took, and now hands on to what does not take them."""
    if len(before.running) != 1 or len(after.running) != 1 or not after.signatures[-1].has("**"):
        return
    given = None if contract.arguments.double_starred else frozenset(contract.arguments.keywords)
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
            elif takes_out(pair.old, was, keyword):
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


def _field_is_gone(contract: CallContract, name: str, pair: Comparison) -> bool:
    """Whether a class declared a field for its metaclass to make a keyword of, and does so no more."""
    was, now = pair.old.resolve(contract.symbol), pair.now(contract.symbol)
    if contract.receiver or was is None or now is None or was.kind != "class" or now.kind != "class":
        return False
    return declares(pair.old, was, name) and lacks(pair.new, now, name)


def refused(contract: CallContract, before: Target, after: Target, pair: Comparison) -> Iterator[Finding]:
    """Upstream now raises for what is passed, or for what is left out."""
    if len(before.running) != 1 or len(after.running) != 1 or before.running[0].body == after.running[0].body:
        return
    raised = _refusal(contract.arguments, after, pair.new)
    if raised is None or _refusal(contract.arguments, before, pair.old) is not None:
        return
    named = (p.name for p in after.running[0].parameters if re.search(rf"\b{p.name}\b", raised.condition))
    condition = f": {raised.condition}" if raised.condition else ""
    yield Finding(
        contract, ChangeKind.ARGUMENT_REFUSED, after.symbol, Ground.ARGUMENT_REFUSED,
        f"{after.symbol}() now raises {raised.raised} for this call{condition}",
        subject=next(named, ""),
    )  # fmt: skip


def _of_another_type(
    contract: CallContract, before: Target, after: Target, pair: Comparison
) -> Iterator[Finding]:
    """What is passed, as it is written, was of the declared type and is not of the class declared now."""
    if len(before.running) != 1 or len(after.running) != 1:
        return
    old, new = before.signatures[-1], after.signatures[-1]
    for was, now, type_ in differing(old, new, dict(contract.types)):
        class_ = excluded(pair.new, after.module, now.annotation, type_)
        if class_ is None or not allowed(was.annotation, type_):
            continue
        owner = after.owner.qualname if after.owner is not None else ""
        if converts(pair.new, after.module, after.running[0], owner, now.name, class_):
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
    if arguments.double_starred:
        given.update((p.name, None) for p in signature.parameters if p.name not in given)
    owner = target.owner.qualname if target.owner is not None else ""
    return refusal(universe, Running(target.module, target.running[0], owner), given)


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
    """The call does not bind."""
    target = reached(contract, universe, universe.resolve)
    if target is None or not target.signatures:
        return
    broken = [bind(s, contract.arguments) for s in target.signatures]
    if all(broken):
        wrong = {
            "missing": "requires",
            "unexpected": "does not take",
            "too-many": "takes at most",
            "twice": "is given twice",
        }
        for problem in broken[-1]:
            yield f"{target.symbol}() {wrong[problem.kind]} {problem.name}"


def _other_result(
    contract: CallContract, before: Target, after: Target, pair: Comparison
) -> Iterator[Finding]:
    if not before.functions or not after.functions:
        return
    old, new = before.functions[-1], after.functions[-1]
    shape = ChangeKind.RETURN_SHAPE_CHANGED
    if contract.unpack is not None:
        was, now = result_length(old), result_length(new)
        if was == contract.unpack and now is not None and now != was:
            reason = f"{after.symbol}() returned {was} values and now returns {now}"
            yield Finding(contract, shape, after.symbol, Ground.WRONG_LENGTH, reason)
            return
    if old.is_async != new.is_async and contract.awaited == old.is_async:
        now_is = "a coroutine function" if new.is_async else "no coroutine function any more"
        reason = f"{after.symbol}() is now {now_is}"
        kind, ground = ChangeKind.ASYNC_CHANGED, Ground.AWAITED_WRONGLY
        yield Finding(contract, kind, after.symbol, ground, reason)
        return
    if not contract.used or contract.unpack is not None or old.annotation == new.annotation:
        return
    if new.annotation == "None" and old.annotation is not None:
        reason = f"{after.symbol}() returned {old.annotation} and now returns nothing"
        yield Finding(contract, shape, after.symbol, Ground.RESULT_NOT_GIVEN, reason)
    elif _surprising(before, after, pair):
        reason = (
            f"{after.symbol}() was declared to return {old.annotation} and now to return {new.annotation}"
        )
        kind, ground = ChangeKind.RETURN_TYPE_CHANGED, Ground.DECLARED
        yield Finding(contract, kind, after.symbol, ground, reason)


def _surprising(before: Target, after: Target, pair: Comparison) -> bool:
    """Whether the result is declared to be something that it was not: no subclass of it either."""
    homes = pair.old.resolve(before.symbol), pair.new.resolve(after.symbol)
    was, now = before.functions[-1].annotation, after.functions[-1].annotation
    if homes[0] is None or homes[1] is None:
        return False
    if pair.other_type((homes[0].module, was), (homes[1].module, now)) is None:
        return False
    found = pair.new.local(homes[1].module, (now or "").strip("'\""))
    lineage = pair.new.lineage(found).classes if found is not None and found.kind == "class" else ()
    return all(c.qualname != (was or "").strip("'\"").rpartition(".")[2] for c in lineage)


def result_length(function: Function) -> int | None:
    """The length of the tuple that a function always returns, None where it does not or cannot be told."""
    if function.annotation is not None:
        length = _annotated_length(function.annotation)
        if length is not None:
            return length
    lengths = {shape for shape in function.returned if shape.startswith("tuple[")}
    if len(lengths) == 1 and len(function.returned) == 1:
        return int(next(iter(lengths))[6:-1])
    return None


def _annotated_length(annotation: str) -> int | None:
    match expression(annotation):
        case ast.Subscript(value=type_, slice=ast.Tuple(elts=elements)) if _is_tuple(type_):
            endless = any(isinstance(e, ast.Constant) and e.value is ... for e in elements)
            return None if endless else len(elements)
        case ast.Subscript(value=type_) if _is_tuple(type_):
            return 1
    return None


def _is_tuple(type_: ast.expr) -> bool:
    return (dotted(type_) or "").rpartition(".")[2] in ("tuple", "Tuple")
