"""Calls of upstream functions that the backend's own helper makes: it is handed ``f``, and calls what it is
handed, as ``call(f, 1, size=2)`` where ``def call(fn, *args, **kwargs): return fn(*args, **kwargs)``."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace

from syncbot.api.every_node import every_node
from syncbot.api.expressions import FunctionNode, named_arguments
from syncbot.api.handed_on import as_call, handed_on
from syncbot.api.local_literals import spelled_out
from syncbot.api.model import Function
from syncbot.api.signatures import Arguments
from syncbot.contracts.calls.callback_calls import caught_in
from syncbot.contracts.calls.callees import callee
from syncbot.contracts.calls.declared_arguments import parameter
from syncbot.contracts.calls.given_functions import leaves_as_it_is
from syncbot.contracts.calls.held_callables import held_uses
from syncbot.contracts.calls.targets import CallContract, Target, defining, reached
from syncbot.contracts.context import Context
from syncbot.contracts.function_sources import function_node
from syncbot.contracts.registry import finder


@dataclass(frozen=True, slots=True)
class _Helped:
    """The arguments that a call gives to the ``helper``: beyond the parameters that this one names, it hands
    it on."""

    helper: FunctionNode
    args: tuple[ast.expr, ...]
    keywords: tuple[ast.keyword, ...]


@finder(ast.Call)
def find_helped(node: ast.Call, context: Context) -> Iterator[CallContract]:
    """The calls of what is handed to a function of the backend, which calls it in one way."""
    given = [(str(at), a) for at, a in enumerate(node.args) if isinstance(a, ast.Name | ast.Attribute)]
    given += [(k.arg, k.value) for k in node.keywords if k.arg and isinstance(k.value, ast.Name)]
    target = _own(node, context) if given else None
    for key, argument in given if target is not None else ():
        if not _may_be_called(argument, context):
            continue
        named = callee(argument, context.place(argument), context)
        symbol = defining(named, context.universe) if named is not None else None
        if named is None or target is None or symbol is None or not context.is_upstream(symbol):
            continue
        arguments = _arguments(spelled_out(node, context.function), key, target, context)
        if arguments is not None:
            yield replace(named, arguments=arguments, used=False)


def _may_be_called(argument: ast.expr, context: Context) -> bool:
    """Whether an argument is a function or a class."""
    value = context.infer(argument)
    return value is not None and not value.instance and value.symbol.kind in ("function", "class")


def _own(node: ast.Call, context: Context) -> Target | None:
    """The one function of the backend that a call runs, as it is written."""
    named = callee(node.func, context.place(node), context)
    symbol = defining(named, context.universe) if named is not None else None
    if named is None or symbol is None or context.is_upstream(symbol):
        return None
    target = reached(named, context.universe, context.universe.resolve)
    if target is None or len(target.functions) != 1 or not leaves_as_it_is(target.functions[0]):
        return None
    return target


def _arguments(node: ast.Call, key: str, target: Target, context: Context) -> Arguments | None:
    """Return what the helper passes to the argument of that key; None where it does not call it, or not in
    one way, or goes on where that fails."""
    function, taken = target.functions[0], parameter(target.signatures[-1], key)
    helper = _node(target, function, context) if taken is not None else None
    uses = held_uses(helper, taken.name, 0) if helper is not None and taken is not None else None
    if helper is None or taken is None or uses is None or not uses.calls or _is_tested(helper, taken.name):
        return None
    filled = len(function.parameters) - len(target.signatures[-1].parameters)
    helped = _helped(node, helper, filled)
    caught = caught_in(helper)
    if helped is None or any(id(call.node) in caught for call in uses.calls):
        return None
    made = {Arguments.of(inner) for call in uses.calls if (inner := _made(call.node, taken.name, helped))}
    return made.pop() if len(made) == 1 else None


def _node(target: Target, function: Function, context: Context) -> FunctionNode | None:
    owner = target.owner.qualname if target.owner is not None else ""
    return function_node(context.universe, target.module, function, owner)


def _is_tested(helper: FunctionNode, name: str) -> bool:
    """Whether a helper asks what it is handed, or for a version, to call some in another way."""
    names = (getattr(n, "id", "") or getattr(n, "attr", "") for n in every_node(helper))
    if any("version" in str(spelled).lower() for spelled in names):
        return True
    tests = (n for n in every_node(helper) if isinstance(n, ast.Compare) or _asks(n))
    return any(isinstance(n, ast.Name) and n.id == name for test in tests for n in every_node(test))


def _asks(node: ast.AST) -> bool:
    asking = ("isinstance", "issubclass", "hasattr", "getattr", "iscoroutinefunction", "isclass")
    match node:
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            return name in asking
    return False


def _helped(node: ast.Call, helper: FunctionNode, filled: int) -> _Helped | None:
    """Return what a call gives to its helper, if that hands it on as it is."""
    places = [a.arg for a in (*helper.args.posonlyargs, *helper.args.args)][filled:]
    if any(isinstance(a, ast.Starred) for a in node.args[: len(places)]) or not _keeps(helper):
        return None
    names = {a.arg for a in named_arguments(helper.args)}
    rest = tuple(k for k in node.keywords if k.arg not in names)
    return _Helped(helper, tuple(node.args[len(places) :]), rest)


def _keeps(helper: FunctionNode) -> bool:
    """Whether a function does nothing with its ``*args`` and ``**kwargs`` but to hand them on."""
    nodes = tuple(every_node(helper))
    several, named = helper.args.vararg, helper.args.kwarg
    own = {a.arg for a in (several, named) if a is not None}
    handed = {id(n.value) for n in nodes if isinstance(n, ast.keyword) and n.arg is None}
    for node in nodes:
        match node:
            case ast.arg(arg=name) if name in own and node is not several and node is not named:
                return False
            case ast.Name(id=name) if name in own and not isinstance(node.ctx, ast.Load):
                return False
            case ast.Name(id=name) if named is not None and name == named.arg and id(node) not in handed:
                return False
    return True


def _made(node: ast.Call, name: str, helped: _Helped) -> ast.Call | None:
    """The call that a helper makes, or has made, with what it is given in place of its own stars."""
    if not (isinstance(node.func, ast.Name) and node.func.id == name):
        handed = handed_on(node)
        if handed is None:
            return None
        node = as_call(handed)
        if handed.shape.more:
            node.keywords.append(ast.keyword(arg=None, value=ast.Dict([None], [ast.Name("more")])))
    several, named = helped.helper.args.vararg, helped.helper.args.kwarg
    args: list[ast.expr] = []
    for argument in node.args:
        own = isinstance(argument, ast.Starred) and _is(argument.value, several)
        args += helped.args if own else [argument]
    keywords: list[ast.keyword] = []
    for keyword in node.keywords:
        keywords += helped.keywords if keyword.arg is None and _is(keyword.value, named) else [keyword]
    return ast.Call(func=node.func, args=args, keywords=keywords)


def _is(node: ast.expr, parameter: ast.arg | None) -> bool:
    return parameter is not None and isinstance(node, ast.Name) and node.id == parameter.arg
