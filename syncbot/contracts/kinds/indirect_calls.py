"""Calls that somebody else makes of what the backend names: a thread, ``map``, a decorator, Ray."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace

from syncbot.api.expressions import FunctionNode, dotted, expression
from syncbot.api.handed_on import as_call, handed_on, items
from syncbot.api.local_literals import local_literal, spelled_out
from syncbot.api.model import Attribute, Class, Function
from syncbot.api.signatures import Arguments
from syncbot.contracts.calls.callees import callee
from syncbot.contracts.calls.declared_arguments import written_type
from syncbot.contracts.calls.given_names import always_given
from syncbot.contracts.calls.handing_constructors import past_handing
from syncbot.contracts.calls.targets import CallContract, defining
from syncbot.contracts.context import Context
from syncbot.contracts.registry import finder

# By the last part of what is called: which keyword tells what to call, with so many arguments.
_BY_KEYWORD = {
    **dict.fromkeys(("sorted", "min", "max", "sort", "groupby", "nlargest", "nsmallest"), ("key", 1)),
    **dict.fromkeys(("field", "attrib", "ib"), ("default_factory", 0)),
}
_LEADING = {"map", "filter", "filterfalse", "takewhile", "dropwhile", "reduce", "defaultdict"}
# https://docs.ray.io/en/latest/ray-core/api/doc/ray.remote.html: the arguments of ``remote`` are those of the
# function, or of the class's constructor.
_RAY = "ray.remote"


@dataclass(frozen=True, slots=True)
class _Called:
    """A call of an expression with some arguments, and the types of those that are written here."""

    what: ast.expr
    arguments: Arguments
    types: tuple[tuple[str, str], ...] = ()


@finder(ast.Call)
def find_handed_on(node: ast.Call, context: Context) -> Iterator[CallContract]:
    """Yield what a thread, a process, an executor or an event loop calls later, and ``map(f, a, b)``."""
    later = _later(node, context)
    if later is not None:
        yield from _contract(later, node, context)
    built_in = _by_built_in(node)
    # A function of the backend of that name does something else.
    if built_in is not None and not context.infer(node.func):
        yield from _contract(built_in, built_in.what, context)


@finder(ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
def find_plain_decorators(node: FunctionNode | ast.ClassDef, context: Context) -> Iterator[CallContract]:
    """``@upstream``, which Python calls with what stands below."""
    for decorator in node.decorator_list:
        yield from _contract(_Called(decorator, Arguments(1, (), named=("",))), decorator, context)


@finder(ast.Call, words=("ray",))
def find_remote(node: ast.Call, context: Context) -> Iterator[CallContract]:
    """``ray.remote(C).options(...).remote(arguments)``, also of classes of the backend that derive."""
    if isinstance(node.func, ast.Attribute) and node.func.attr == "remote":
        named = _sent(node.func.value, node, context)
        arguments = Arguments.of(spelled_out(node, context.function))
        yield from _reached(past_handing(named, context) if named else None, arguments, context)


def _contract(called: _Called, at: ast.AST, context: Context) -> Iterator[CallContract]:
    if isinstance(called.what, ast.Name | ast.Attribute):
        named = callee(called.what, context.place(at), context)
        yield from _reached(named, called.arguments, context, called.types)


def _reached(
    named: CallContract | None,
    arguments: Arguments,
    context: Context,
    types: tuple[tuple[str, str], ...] = (),
) -> Iterator[CallContract]:
    """The call of what is named, if it is defined upstream."""
    contract = replace(named, arguments=arguments, used=False, types=types) if named is not None else None
    target = defining(contract, context.universe) if contract is not None else None
    if contract is not None and target is not None and context.is_upstream(target):
        yield contract


def _later(node: ast.Call, context: Context) -> _Called | None:
    """The function that a call hands on with all its arguments."""
    handed = handed_on(node)
    if handed is None or handed.shape.more or handed.func is None:
        return None
    several, by_name = (local_literal(part, context.function) for part in (handed.several, handed.by_name))
    call = as_call(replace(handed, several=several, by_name=by_name))
    elements = several.elts if isinstance(several, ast.Tuple | ast.List) else []
    starred = any(isinstance(e, ast.Starred) for e in elements)
    places = [] if starred else [(str(at), element) for at, element in enumerate(elements)]
    named = [(key, value) for key, value in items(by_name) if key is not None] if by_name is not None else []
    typed = ((key, written_type(value, context)) for key, value in (*places, *named))
    return _Called(handed.func, Arguments.of(call), tuple((key, type_) for key, type_ in typed if type_))


def _by_built_in(node: ast.Call) -> _Called | None:
    """Return what a built-in function, or one of Python's modules, calls with so many arguments."""
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if name in _BY_KEYWORD:
        keyword, several = _BY_KEYWORD[name]
        given = next((k.value for k in node.keywords if k.arg == keyword), None)
        return _Called(given, Arguments(several, ())) if given is not None else None
    if name not in _LEADING or node.keywords or any(isinstance(a, ast.Starred) for a in node.args):
        return None
    match name, isinstance(node.func, ast.Name), node.args:
        case "map", True, [function, _, *_]:
            return _Called(function, Arguments(len(node.args) - 1, ()))
        # An executor's, or a pool's: what further arguments mean depends on that.
        case (("map" | "filter" | "filterfalse" | "takewhile" | "dropwhile"), _, [function, elements]):
            return _Called(function, Arguments(1, ())) if not isinstance(elements, ast.Constant) else None
        case "reduce", _, [function, _] | [function, _, _]:
            return _Called(function, Arguments(2, ()))
        case "defaultdict", _, [function, *_]:
            return _Called(function, Arguments(0, ()))
    return None


def _sent(holder: ast.expr, node: ast.Call, context: Context) -> CallContract | None:
    """The call of the function or class that an object with a method ``remote`` holds."""
    match always_given(holder, context):
        case ast.Call(func=ast.Attribute(value=inner, attr="options")):
            return _sent(inner, node, context)
        case ast.Call(func=made, args=[target], keywords=[]) if _is_ray(made, context):
            return callee(target, context.place(node), context)
        case ast.Call(func=ast.Call(func=made), args=[target]) if _is_ray(made, context):
            return callee(target, context.place(node), context)
        case ast.Name(id=name) if not context.scope.binds(name):
            return _global(name, node, context)
    return None


def _global(name: str, node: ast.Call, context: Context) -> CallContract | None:
    """The same for a name of a module: what has the decorator, or is given such an object once."""
    found = context.universe.local(context.file.module, name)
    match found.nodes if found is not None else ():
        case [Attribute(value=str(value))] if (given := expression(value)) is not None:
            # What is made here has no place in a file, and no answers about it may be kept.
            return _sent(given, node, context.aside(())) if not isinstance(given, ast.Name) else None
        case [*_, Class() | Function() as made] if found is not None and any(
            context.universe.external_name(found.module, d.partition("(")[0]) == _RAY for d in made.decorators
        ):
            return CallContract(symbol=found.name, arguments=Arguments(0, ()), place=context.place(node))
    return None


def _is_ray(made: ast.expr, context: Context) -> bool:
    written = dotted(made)
    return written is not None and context.universe.external_name(context.file.module, written) == _RAY
