"""Functions of the backend that a call gives to upstream, to be called there."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from syncbot.api.expressions import FunctionNode, dotted, expression, string
from syncbot.api.methods import method_signature
from syncbot.api.model import Attribute, Parameter
from syncbot.api.protocols import is_protocol
from syncbot.api.signatures import Arguments
from syncbot.api.statement_parts import parameters
from syncbot.api.symbols import Symbol
from syncbot.api.tree import ModuleTree
from syncbot.api.universe import Universe
from syncbot.contracts.calls.callback_calls import (
    CallbackCall,
    Taking,
    calls_of_attribute,
    calls_of_parameter,
)
from syncbot.contracts.calls.callees import callee
from syncbot.contracts.calls.declared_arguments import parameter
from syncbot.contracts.calls.forwarded_keywords import Reached
from syncbot.contracts.calls.given_functions import GivenFunction, given_function, taken_by
from syncbot.contracts.calls.other_calls import called_otherwise, declared_otherwise
from syncbot.contracts.calls.second_attempts import other_attempts
from syncbot.contracts.calls.targets import CallContract, Target, defining, reached_in
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.context import Context
from syncbot.contracts.kinds.calls import find_calls
from syncbot.contracts.model import Contract, Finding
from syncbot.contracts.registry import finder, judge

# So many names are followed into one another.
_STEPS = 3


def declared_call(
    universe: Universe, module: str, annotation: str | None, steps: int = _STEPS
) -> Arguments | None:
    """The arguments that ``Callable[[A, B], R]``, a name for that or a protocol with a ``__call__`` says;
    None where an annotation leaves that open."""
    node = expression((annotation or "").strip("'\""))
    return _of(universe, module, node, steps) if node is not None else None


def _of(universe: Universe, module: str, node: ast.expr, steps: int) -> Arguments | None:
    match node:
        case ast.Subscript(value=head, slice=ast.Tuple(elts=[ast.List(elts=taken), _])) if _is(
            head, "Callable"
        ):
            unpacked = any(isinstance(t, ast.Starred) or _is(getattr(t, "value", t), "Unpack") for t in taken)
            return None if unpacked else Arguments(len(taken), ())
        case ast.Subscript(value=head, slice=inner) if _is(head, "Optional"):
            return _of(universe, module, inner, steps)
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return _only(universe, module, [left, right], steps)
        case ast.Subscript(value=head, slice=ast.Tuple(elts=members)) if _is(head, "Union"):
            return _only(universe, module, members, steps)
        case ast.Name() | ast.Attribute() if steps:
            return _named(universe, module, dotted(node) or "", steps - 1)
    return None


def _only(universe: Universe, module: str, members: list[ast.expr], steps: int) -> Arguments | None:
    """Return what the one member of a union says that is not None."""
    left = [m for m in members if not (isinstance(m, ast.Constant) and m.value is None)]
    return _of(universe, module, left[0], steps) if len(left) == 1 else None


def _named(universe: Universe, module: str, name: str, steps: int) -> Arguments | None:
    found = universe.local(module, name)
    if found is None:
        return None
    if found.kind == "variable" and len(found.nodes) == 1:
        node = found.nodes[0]
        value = node.value if isinstance(node, Attribute) else None
        return declared_call(universe, found.module, value, steps)
    if found.kind != "class" or not is_protocol(found.class_):
        return None
    member = universe.member(found, "__call__")
    if member is None or len(member.functions) != 1:
        return None
    signature = method_signature(member.functions[0])
    if signature.has("*") or signature.has("**"):
        return None
    named = tuple(p.name for p in signature.parameters if p.kind == "key")
    return Arguments(len(signature.positional), named)


def _is(node: ast.expr, name: str) -> bool:
    return (dotted(node) or "").rpartition(".")[2] == name


_CALLABLE = (ast.Name, ast.Attribute, ast.Lambda, ast.Call)


@dataclass(frozen=True, slots=True, kw_only=True)
class CallbackContract(Contract):
    """The call ``taker`` gives the function ``given``, at ``key`` (place or keyword), in a list or dictionary
    where ``depth`` is 1, there under the name ``inside``; ``made``: what the call returns is given it, as a
    decorator with arguments is."""

    taker: CallContract
    key: str
    given: GivenFunction
    depth: int = 0
    inside: str = ""
    made: bool = False


@finder(ast.Call)
def find_callbacks(node: ast.Call, context: Context) -> Iterator[CallbackContract]:
    """``upstream(own)``, ``upstream(key=lambda x: …)`` and ``upstream("name")(own)``."""
    arguments = [pair for pair in _arguments(node) if isinstance(pair[1], _CALLABLE)]
    if not arguments or any(other_attempts(node, context.parents)):
        return
    made = isinstance(node.func, ast.Call)
    if isinstance(node.func, ast.Call):
        taker = _taker(node.func.func, context)
    else:
        taker = next(iter(find_calls(node, context)), None)
    for key, value, depth, inside in arguments if taker is not None else ():
        given = given_function(value, context)
        if taker is not None and given is not None:
            yield CallbackContract(
                symbol=taker.symbol, place=context.place(value), taker=taker, key=key, given=given,
                depth=depth, inside=inside, made=made,
            )  # fmt: skip


def _arguments(node: ast.Call) -> Iterator[tuple[str, ast.expr, int, str]]:
    """Yield what a call passes, by key, each with the depth and the name at which it stands there."""
    for place, argument in enumerate(node.args):
        if isinstance(argument, ast.Starred):
            break
        yield from _elements(str(place), argument)
    for keyword in node.keywords:
        if keyword.arg:
            yield from _elements(keyword.arg, keyword.value)


def _elements(key: str, value: ast.expr) -> Iterator[tuple[str, ast.expr, int, str]]:
    match value:
        case ast.List(elts=elements) | ast.Tuple(elts=elements):
            yield from ((key, element, 1, "") for element in elements)
        case ast.Dict(keys=keys, values=values):
            named = zip(keys, values, strict=True)
            yield from ((key, element, 1, string(name) or "") for name, element in named if name is not None)
        case _:
            yield key, value, 0, ""


def _taker(func: ast.expr, context: Context) -> CallContract | None:
    named = callee(func, context.place(func), context) if isinstance(func, ast.Name | ast.Attribute) else None
    target = defining(named, context.universe) if named is not None else None
    return named if target is not None and context.is_upstream(target) else None


@finder(ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
def find_decorated(node: FunctionNode | ast.ClassDef, context: Context) -> Iterator[CallbackContract]:
    """``@upstream`` and ``@upstream("name")`` above a function or class that has no other decorator."""
    if len(node.decorator_list) != 1 or isinstance(context.parent, ast.ClassDef):
        return
    decorator = node.decorator_list[0]
    made = isinstance(decorator, ast.Call)
    taker = _taker(decorator.func if isinstance(decorator, ast.Call) else decorator, context)
    given = _defined(node, context) if taker is not None else None
    if taker is not None and given is not None:
        yield CallbackContract(
            symbol=taker.symbol, place=context.place(decorator), taker=taker, key="0", given=given, made=made
        )


def _defined(node: FunctionNode | ast.ClassDef, context: Context) -> GivenFunction | None:
    if isinstance(node, FunctionNode):
        return GivenFunction(parameters=parameters(node.args))
    own = context.own_class(node.name)
    return GivenFunction(own.name) if own is not None else None


@judge(CallbackContract)
def judge_callback(contract: CallbackContract, pair: Comparison) -> Iterator[Finding]:
    """Upstream called it with what it takes, or declared to, and does not now."""
    before, after = reached_in(contract.taker, pair)
    signatures = taken_by(contract.given, pair.new)
    if before is None or after is None or signatures is None:
        return
    was, now = (_taken(t, contract) for t in (before, after))
    if was is None or now is None:
        return
    class_ = contract.taker.receiver or contract.taker.symbol
    called = (
        _calls(contract, before, was, pair.old.resolve(class_), (pair.old, pair.old_tree)),
        _calls(contract, after, now, pair.now(class_), (pair.new, pair.new_tree)),
    )
    if called[0] is None or called[1] is None:
        return
    if called[0] or called[1]:
        yield from called_otherwise(
            contract, contract.given, signatures, after.symbol, called[0], called[1], pair.new
        )
    elif not contract.made and not contract.depth:
        declared = (
            declared_call(pair.old, before.module, was.annotation),
            declared_call(pair.new, after.module, now.annotation),
        )
        yield from declared_otherwise(contract, contract.given, signatures, after.symbol, now, declared)


def _taken(target: Target, contract: CallbackContract) -> Parameter | None:
    """The parameter that is given the function; of a function that is made, any will do."""
    if len(target.signatures) != 1:
        return None
    if contract.made:
        return Parameter("", "any")
    found = parameter(target.signatures[0], contract.key)
    if found is not None or not contract.key.isdecimal():
        return found
    return next((p for p in target.signatures[0].parameters if p.kind == "*"), None)


def _calls(
    contract: CallbackContract,
    target: Target,
    taken: Parameter,
    class_: Symbol | None,
    there: tuple[Universe, ModuleTree],
) -> tuple[CallbackCall, ...] | None:
    """How the function is called that a parameter is given."""
    class_ = class_ if class_ is not None and class_.kind == "class" else target.owner
    if not target.running:
        # The fields of a data class are attributes of its objects.
        fields = class_ is not None and not contract.made
        return calls_of_attribute(*there, class_, taken.name, contract.depth) if fields and class_ else None
    if len(target.running) != 1:
        return None
    reached = Reached(target.module, target.running[0], target.owner)
    made = contract.key if contract.made else ""
    return calls_of_parameter(
        there[0], Taking(reached, contract.depth, class_, key=contract.inside), taken, made=made
    )
