"""Functions of the backend that it sets as an attribute which methods of upstream's class call."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace

from syncbot.api.expressions import FunctionNode
from syncbot.api.methods import is_property
from syncbot.api.statement_parts import parameters
from syncbot.api.symbols import Symbol
from syncbot.api.tree import ModuleTree
from syncbot.api.universe import Universe
from syncbot.contracts.calls.callback_calls import CallbackCall, calls_of_attribute, calls_of_variable
from syncbot.contracts.calls.given_functions import GivenFunction, given_function, is_harmless, taken_by
from syncbot.contracts.calls.other_calls import called_otherwise
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.context import Context
from syncbot.contracts.model import Contract, Finding
from syncbot.contracts.registry import finder, judge


@dataclass(frozen=True, slots=True, kw_only=True)
class SetCallbackContract(Contract):
    """``given`` is what objects of the class ``receiver``, or that module, have as ``name``; at ``depth`` 1,
    what the list or dictionary of that name has."""

    receiver: str
    name: str
    given: GivenFunction
    depth: int = 0


@finder(ast.Assign)
def find_set_callbacks(node: ast.Assign, context: Context) -> Iterator[SetCallbackContract]:
    """``object.name = own``, ``Class.name = own``, and ``name = own`` in a class."""
    for target in node.targets:
        match target:
            case ast.Attribute(value=owner, attr=name):
                yield from _set(owner, name, node.value, node, context)
            case ast.Subscript(value=ast.Attribute(value=owner, attr=name)):
                yield from _put_in(owner, name, node.value, node, context)
            case ast.Name(id=name) if (own := context.own_class()) is not None:
                yield from _in_class(own, name, _of_class(node.value, context), node, context)


@finder(ast.Call)
def find_setattr(node: ast.Call, context: Context) -> Iterator[SetCallbackContract]:
    """``setattr(object, "name", own)``, and ``object.names.append(own)``."""
    match node:
        case ast.Call(
            func=ast.Attribute(value=ast.Attribute(value=owner, attr=name), attr="append" | "add" | "insert"),
            args=[*_, value],
        ):
            yield from _put_in(owner, name, value, node, context)
        case ast.Call(func=ast.Name(id="setattr"), args=[owner, ast.Constant(value=str(name)), value]):
            yield from _set(owner, name, value, node, context)


@finder(ast.FunctionDef, ast.AsyncFunctionDef)
def find_methods(node: FunctionNode, context: Context) -> Iterator[SetCallbackContract]:
    """``def name(self, …)`` where upstream's class has no method of that name."""
    own = context.own_class() if isinstance(context.parent, ast.ClassDef) else None
    decorators = [ast.unparse(d) for d in node.decorator_list] if own is not None else []
    if own is not None and all(map(is_harmless, decorators)):
        taken = parameters(node.args)[0 if "staticmethod" in decorators else 1 :]
        yield from _in_class(own, node.name, GivenFunction(parameters=taken), node, context)


def _set(
    owner: ast.expr, name: str, value: ast.expr, node: ast.stmt | ast.expr, context: Context
) -> Iterator[SetCallbackContract]:
    if not isinstance(value, ast.Name | ast.Attribute | ast.Lambda | ast.Call):
        return
    base = context.infer(owner)
    if base is None or base.symbol.kind != "class":
        return
    if not base.instance:
        yield from _in_class(base.symbol, name, _of_class(value, context), node, context)
    elif (symbol := _upstream(base.symbol, name, context, of_class=False)) is not None:
        given = given_function(value, context)
        if given is not None:
            yield _contract(symbol, base.symbol, name, given, node, context)


def _put_in(
    owner: ast.expr, name: str, value: ast.expr, node: ast.stmt | ast.expr, context: Context
) -> Iterator[SetCallbackContract]:
    if not isinstance(value, ast.Name | ast.Attribute | ast.Lambda | ast.Call):
        return
    base = context.infer(owner)
    symbol = None
    if base is not None and base.symbol.kind == "class" and base.instance:
        symbol = _upstream(base.symbol, name, context, of_class=False)
    elif base is not None and base.symbol.kind == "module" and context.is_upstream(base.symbol.module):
        found = context.universe.attribute(base.symbol, name)
        symbol = found.name if found is not None and found.kind == "variable" else None
    given = given_function(value, context) if symbol is not None else None
    if base is not None and symbol is not None and given is not None:
        yield replace(_contract(symbol, base.symbol, name, given, node, context), depth=1)


def _in_class(
    class_: Symbol, name: str, given: GivenFunction | None, node: ast.stmt | ast.expr, context: Context
) -> Iterator[SetCallbackContract]:
    symbol = _upstream(class_, name, context, of_class=True) if given is not None else None
    if symbol is not None and given is not None:
        yield _contract(symbol, class_, name, given, node, context)


def _contract(
    symbol: str,
    class_: Symbol,
    name: str,
    given: GivenFunction,
    node: ast.stmt | ast.expr,
    context: Context,
) -> SetCallbackContract:
    return SetCallbackContract(
        symbol=symbol, place=context.place(node), receiver=class_.name, name=name, given=given
    )


def _of_class(value: ast.expr, context: Context) -> GivenFunction | None:
    """Return what a function is as an attribute of a class: its objects fill the first parameter."""
    match value:
        case ast.Call(func=ast.Name(id="staticmethod"), args=[function], keywords=[]):
            return given_function(function, context)
        case ast.Lambda() | ast.Name() | ast.Attribute():
            given = given_function(value, context)
            if given is None or given.filled.positional or given.filled.keywords:
                return given
            return replace(given, bound=True, parameters=given.parameters[1:])
    return None


def _upstream(class_: Symbol, name: str, context: Context, *, of_class: bool) -> str | None:
    """Return what upstream calls an attribute; None for a method, which others judge where the class has it,
    and for what a constructor sets on each object, where it is set ``of_class``."""
    classes = context.universe.lineage(class_).classes
    above = next((c for c in classes if context.is_upstream(c.module)), None)
    member = context.universe.member(above, name) if above is not None else None
    if member is None or (member.functions and (of_class or is_property(member.functions[-1]))):
        return None
    hidden = of_class and any(a.origin for a in member.attributes)
    return None if hidden else member.symbol


@judge(SetCallbackContract)
def judge_set_callback(contract: SetCallbackContract, pair: Comparison) -> Iterator[Finding]:
    """Upstream called the attribute with what it takes, and does not now."""
    signatures = taken_by(contract.given, pair.new)
    if signatures is None:
        return
    was = _calls(contract, pair.old.resolve(contract.receiver), pair.old, pair.old_tree)
    now = _calls(contract, pair.now(contract.receiver), pair.new, pair.new_tree) if was else ()
    yield from called_otherwise(contract, contract.given, signatures, contract.symbol, was, now, pair.new)


def _calls(
    contract: SetCallbackContract, owner: Symbol | None, universe: Universe, tree: ModuleTree
) -> tuple[CallbackCall, ...]:
    """How a tree calls what the attribute holds."""
    if owner is not None and owner.kind == "class":
        return calls_of_attribute(universe, tree, owner, contract.name, contract.depth)
    found = universe.attribute(owner, contract.name) if owner is not None else None
    if found is None or found.kind != "variable":
        return ()
    return calls_of_variable(universe, found.module, found.qualname, contract.depth)
