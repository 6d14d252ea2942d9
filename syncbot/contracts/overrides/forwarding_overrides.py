"""Methods that do nothing but hand all arguments on to another function."""

from __future__ import annotations

import ast
from dataclasses import replace

from syncbot.api.expressions import FunctionNode
from syncbot.api.methods import definition, is_static
from syncbot.api.model import Function
from syncbot.api.symbols import Member, Symbol
from syncbot.api.universe import Universe
from syncbot.contracts.comparison import Comparison
from syncbot.contracts.function_sources import function_node


def as_it_takes(function: Function, owner: Symbol, pair: Comparison) -> Function:
    """The method with the parameters of what it hands all arguments on to; itself where it does not, or where
    that is no function of the backend."""
    if [p.kind for p in function.parameters[1:]] != ["*", "**"] or is_static(function):
        return function
    node = function_node(pair.new, owner.module, function, owner.qualname)
    call = _handing(node) if node is not None else None
    scope = pair.in_new.method_scope(owner.module, owner, function)
    found = pair.in_new.infer(call.func, scope) if call is not None else None
    if found is None or found.instance or len(found.symbol.functions) != 1:
        return function
    if pair.new.tree_of(found.symbol.module) is not pair.own_tree:
        return function
    target = found.symbol.functions[0]
    taken = target.parameters[1:] if found.bound else target.parameters
    return replace(function, parameters=(function.parameters[0], *taken))


def handed_to(base: Member, universe: Universe) -> str | None:
    """The name of the method of the same object that a method hands all its arguments to, if it does."""
    function = definition(base.functions)
    if [p.kind for p in function.parameters[1:]] != ["*", "**"] or is_static(function):
        return None
    node = function_node(universe, base.owner.module, function, base.owner.qualname)
    match _handing(node) if node is not None else None:
        case ast.Call(func=ast.Attribute(value=ast.Name(id="self"), attr=other)):
            return other
    return None


def _handing(node: FunctionNode) -> ast.Call | None:
    """The one call of a function's only statement, if it is given all that the function is."""
    body = [s for s in node.body if not (isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant))]
    match body:
        case [ast.Return(value=value) | ast.Expr(value=value)]:
            call = value.value if isinstance(value, ast.Await) else value
            args, kwargs = node.args.vararg, node.args.kwarg
            match call:
                case ast.Call(
                    args=[ast.Starred(value=ast.Name(id=places))],
                    keywords=[ast.keyword(arg=None, value=ast.Name(id=named))],
                ) if args is not None and kwargs is not None and (places, named) == (args.arg, kwargs.arg):
                    return call
    return None
