"""Functions of the backend that it gives to upstream, to be called there: what they take."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from syncbot.api.expressions import dotted, last_name
from syncbot.api.handed_on import handed_on
from syncbot.api.model import Function, Parameter
from syncbot.api.signatures import Arguments, Signature, bind, constructor, function_signatures
from syncbot.api.statement_parts import parameters
from syncbot.api.universe import Universe
from syncbot.contracts.calls.inner_functions import inner_function
from syncbot.contracts.context import Context

# Decorators, by the last part of their names, that leave what a function takes as it is.
_HARMLESS = frozenset(
    {
        *("staticmethod", "classmethod", "abstractmethod", "override", "final", "overload", "wraps"),
        *("cache", "lru_cache", "no_grad", "inference_mode", "contextmanager", "asynccontextmanager"),
    }
)
_NOTHING = Arguments(0, ())


@dataclass(frozen=True, slots=True)
class GivenFunction:
    """A function, method or class of the backend by its dotted ``name``, ``bound`` to its first argument; or
    the ``parameters`` of one that has no such name. A partial function has ``filled`` some of them."""

    name: str = ""
    bound: bool = False
    parameters: tuple[Parameter, ...] = ()
    filled: Arguments = _NOTHING


def given_function(node: ast.expr, context: Context) -> GivenFunction | None:
    """The function of the backend that an expression is; None where it is none that is known."""
    match node:
        case ast.Lambda(args=arguments):
            return GivenFunction(parameters=parameters(arguments))
        case ast.Call():
            return _partial(node, context) or _method(node, context)
        case ast.Name() | ast.Attribute():
            return _named(node, context)
    return None


def _partial(node: ast.Call, context: Context) -> GivenFunction | None:
    if (dotted(node.func) or "").rpartition(".")[2] != "partial":
        return None
    handed = handed_on(node)
    inner = given_function(handed.func, context) if handed is not None else None
    if handed is None or inner is None or inner.filled != _NOTHING:
        return None
    call = ast.Call(func=handed.func, args=list(handed.following), keywords=list(handed.keywords))
    filled = Arguments.of(call)
    unclear = filled.starred or filled.hides_keywords
    return None if unclear else GivenFunction(inner.name, inner.bound, inner.parameters, filled)


def of_bound(node: ast.expr) -> ast.expr | None:
    """The function in ``MethodType(function, object)`` and ``function.__get__(object)``, which fill its first
    parameter."""
    match node:
        case ast.Call(
            func=ast.Name(id="MethodType") | ast.Attribute(attr="MethodType"), args=[function, _], keywords=[]
        ):
            return function
        case ast.Call(func=ast.Attribute(value=function, attr="__get__"), args=[owner, *_], keywords=[]) if (
            not isinstance(owner, ast.Constant)
        ):
            return function
    return None


def _method(node: ast.Call, context: Context) -> GivenFunction | None:
    function = of_bound(node)
    if function is None:
        return None
    given = given_function(function, context)
    value = context.infer(function) if given is not None else None
    a_class = value is not None and value.symbol.kind == "class"
    if given is None or given.bound or given.filled != _NOTHING or a_class:
        return None
    return GivenFunction(given.name, True, given.parameters[1:])


def _named(node: ast.Name | ast.Attribute, context: Context) -> GivenFunction | None:
    value = context.infer(node)
    if value is None:
        found = inner_function(node.id, context) if isinstance(node, ast.Name) else None
        keeps = found is not None and all(is_harmless(ast.unparse(d)) for d in found.decorator_list)
        return GivenFunction(parameters=parameters(found.args)) if found is not None and keeps else None
    own = context.universe.tree_of(value.symbol.module) is context.universe.tree_of(context.file.module)
    if not own or value.symbol.kind not in ("class", "function"):
        return None
    if value.symbol.kind == "class" and value.instance:
        if context.universe.member(value.symbol, "__call__") is None:
            return None
        return GivenFunction(f"{value.symbol.name}.__call__", bound=True)
    return None if value.instance else GivenFunction(value.symbol.name, value.bound)


def taken_by(given: GivenFunction, universe: Universe) -> tuple[Signature, ...] | None:
    """Return what a given function takes, by each of its definitions; None where that cannot be told."""
    if not given.name:
        return (Signature(given.parameters),)
    found = universe.resolve(given.name)
    if found is None:
        return None
    if found.kind == "class":
        made = constructor(universe, found)
        keywords = found.class_.keywords if found.class_ is not None else ()
        metaclass = any("metaclass=" in k for k in keywords)
        return made[0] if made is not None and not metaclass else None
    # What is left to derived classes, they may take otherwise.
    known = found.kind == "function" and not any(f.unimplemented or f.abstract for f in found.functions)
    if not known or not all(map(leaves_as_it_is, found.functions)):
        return None
    return function_signatures(found.functions, given.bound)


def leaves_as_it_is(function: Function) -> bool:
    """Whether the decorators of a function leave what it takes as it is."""
    return all(map(is_harmless, function.decorators))


def is_harmless(decorator: str) -> bool:
    """Whether a decorator, as it is written, leaves what a function takes as it is."""
    return last_name(decorator) in _HARMLESS


def takes(given: GivenFunction, signatures: tuple[Signature, ...], call: Arguments) -> bool:
    """Whether one of the signatures takes what a call passes, beside what is filled already."""
    filled = given.filled
    # What a partial function was given by name, a call may give again.
    named = (*call.keywords, *(k for k in filled.keywords if k not in call.keywords))
    whole = Arguments(
        filled.positional + call.positional, named, call.starred, call.hides_keywords, named=call.named
    )
    return any(not bind(signature, whole) for signature in signatures)
