"""Keywords that the backend passes to a function of its own whose ``**kwargs`` go on to upstream."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace

from syncbot.api.every_node import every_node
from syncbot.api.function_text import function_text
from syncbot.api.model import Function
from syncbot.api.remembered_answers import remembered
from syncbot.api.signatures import Arguments, accepts
from syncbot.api.symbols import Symbol
from syncbot.api.syntax import syntax_tree
from syncbot.api.universe import Universe
from syncbot.contracts.calls.targets import CallContract, defining, reached_in
from syncbot.contracts.changes import ArgumentDetails, ChangeKind
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.context import Context
from syncbot.contracts.grounds import Ground
from syncbot.contracts.inference.expressions import Inference
from syncbot.contracts.inference.values import Scope
from syncbot.contracts.model import Contract, Finding, Location, Place
from syncbot.contracts.registry import finder, judge

#: How many functions of the backend keywords are followed through.
DEPTH = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class KeywordForwardingContract(Contract):
    """The arguments of ``forwarded`` are keywords that the backend's ``through`` hands on to upstream."""

    forwarded: CallContract
    through: str


@dataclass(frozen=True, slots=True)
class _Own:
    """A function of the backend: its module, its class if it is a method, and what is known of it."""

    module: str
    owner: Symbol | None
    function: Function


@finder(ast.Call)
def find_forwarded_keywords(node: ast.Call, context: Context) -> Iterator[KeywordForwardingContract]:
    """Calls of backend functions with keywords that these do not name but hand on."""
    keywords = frozenset(k.arg for k in node.keywords if k.arg)
    if not keywords:
        return
    own = _own(_callable(node.func, context.inference, context.scope), context)
    if own is not None:
        yield from _followed(own, keywords, context, context.place(node), 0)


def _followed(
    own: _Own, keywords: frozenset[str], context: Context, place: Place, depth: int
) -> Iterator[KeywordForwardingContract]:
    catcher = next((p.name for p in own.function.parameters if p.kind == "**"), None)
    rest = keywords - {p.name for p in own.function.parameters if p.kind in ("any", "key")}
    if catcher is None or not rest or depth > DEPTH:
        return
    forwards, taken = _forwards(own, catcher, context.universe)
    rest -= taken
    if not rest:
        return
    scope = Scope(own.module)
    if own.owner is not None:
        scope = context.inference.method_scope(own.module, own.owner, own.function)
    for call in forwards:
        inner = _callable(call.func, context.inference, scope)
        following = _own(inner, context)
        if following is not None:
            yield from _followed(following, rest, context, place, depth + 1)
        elif inner is not None:
            arguments = Arguments(0, tuple(sorted(rest)), True, True)
            forwarded = replace(inner, arguments=arguments, place=place)
            target = defining(forwarded, context.universe)
            if target is not None and context.is_upstream(target):
                name = f"{own.owner.name}.{own.function.name}" if own.owner is not None else ""
                yield KeywordForwardingContract(
                    symbol=target,
                    forwarded=forwarded,
                    through=name or f"{own.module}.{own.function.name}",
                    place=place,
                )


@judge(KeywordForwardingContract)
def judge_forwarded(contract: KeywordForwardingContract, pair: Comparison) -> Iterator[Finding]:
    """A keyword is no longer accepted where it ends."""
    before, after = reached_in(contract.forwarded, pair)
    if before is None or after is None or not after.signatures:
        return
    for keyword in contract.forwarded.arguments.keywords:
        took = any(accepts(s, (keyword,)) for s in before.signatures)
        if took and not any(accepts(s, (keyword,)) for s in after.signatures):
            reason = f"{after.symbol}() no longer takes {keyword}, which {contract.through}() hands on to it"
            yield Finding(
                contract, ChangeKind.PARAMETER_REMOVED, after.symbol, Ground.FORWARDED, reason,
                subject=keyword, details=ArgumentDetails(argument=keyword),
            )  # fmt: skip


def _callable(func: ast.expr, inference: Inference, scope: Scope) -> CallContract | None:
    """Return what an expression calls, as a contract that has its arguments and its place still to be
    given."""
    nothing = Arguments(0, ())
    nowhere = Place(Location("", 0), scope.module)
    if isinstance(func, ast.Attribute):
        base = inference.infer(func.value, scope)
        if base is not None and (base.instance or base.symbol.kind == "class"):
            member = inference.universe.member(base.symbol, func.attr, base.skip)
            if member is None:
                return None
            return CallContract(
                symbol=member.symbol,
                arguments=nothing,
                receiver=base.symbol.name,
                name=func.attr,
                skip=base.skip,
                bound=base.instance,
                place=nowhere,
            )
    called = inference.infer(func, scope)
    if called is None or called.instance or called.symbol.kind not in ("class", "function"):
        return None
    return CallContract(symbol=called.symbol.name, arguments=nothing, place=nowhere)


def _own(called: CallContract | None, context: Context) -> _Own | None:
    """The backend's function that a call reaches, a class's ``__init__`` included."""
    if called is None:
        return None
    universe = context.universe
    owner: Symbol | None
    if called.receiver:
        owner, name, skip = universe.resolve(called.receiver), called.name, called.skip
    else:
        found = universe.resolve(called.symbol)
        if found is None or (context.is_upstream(found.module) and found.kind == "function"):
            return None
        if found.kind == "function" and found.functions:
            return _Own(found.module, None, found.functions[-1])
        owner, name, skip = found, "__init__", 0
    if owner is None or owner.kind != "class":
        return None
    member = universe.member(owner, name, skip)
    if member is None or not member.functions or context.is_upstream(member.owner.module):
        return None
    return _Own(member.owner.module, member.owner, member.functions[-1])


def _forwards(own: _Own, catcher: str, universe: Universe) -> tuple[tuple[ast.Call, ...], frozenset[str]]:
    """The calls that are given all of ``**catcher``, and the keys that the function takes out or sets."""
    source = universe.source(own.module)
    if source is None:
        return (), frozenset()
    return _handed_on(source, own.function.line, own.function.end_line, catcher)


@remembered(1024)
def _handed_on(
    source: bytes, first: int, last: int, catcher: str
) -> tuple[tuple[ast.Call, ...], frozenset[str]]:
    """As :func:`_forwards`, for the function in some lines; no calls where the name is bound anew."""
    try:
        nodes = list(every_node(syntax_tree(function_text(source, first, last).encode())))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return (), frozenset()
    calls: list[ast.Call] = []
    taken: set[str] = set()
    for node in nodes:
        if isinstance(node, ast.Name) and node.id == catcher and not isinstance(node.ctx, ast.Load):
            return (), frozenset()
        if isinstance(node, ast.Call):
            if any(k.arg is None and _is(k.value, catcher) for k in node.keywords):
                calls.append(node)
            elif isinstance(node.func, ast.Attribute) and _is(node.func.value, catcher):
                taken.update(_strings(node))
        elif isinstance(node, ast.Subscript) and _is(node.value, catcher):
            taken.update(_strings(node))
    return tuple(calls), frozenset(taken)


def _is(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _strings(node: ast.AST) -> Iterator[str]:
    return (n.value for n in every_node(node) if isinstance(n, ast.Constant) and isinstance(n.value, str))
