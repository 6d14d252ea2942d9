"""Calls that Ray makes in another process: ``ray.remote(C).options(...).remote(arguments)``.

https://docs.ray.io/en/latest/ray-core/api/doc/ray.remote.html: the arguments of ``remote`` are those of the
function, or of the class's constructor.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from syncbot.api.expressions import dotted, expression
from syncbot.api.local_literals import spelled_out
from syncbot.api.model import Attribute, Class, Function
from syncbot.api.signatures import Arguments
from syncbot.contracts.calls.callees import callee
from syncbot.contracts.calls.given_names import always_given
from syncbot.contracts.calls.handing_constructors import past_handing
from syncbot.contracts.calls.targets import CallContract, defining
from syncbot.contracts.context import Context
from syncbot.contracts.registry import finder

_RAY = "ray.remote"


@finder(ast.Call, words=("ray",))
def find_remote(node: ast.Call, context: Context) -> Iterator[CallContract]:
    """The upstream functions and classes that are called so, and classes of the backend that derive."""
    if not isinstance(node.func, ast.Attribute) or node.func.attr != "remote":
        return
    named = _sent(node.func.value, node, context)
    if named is None:
        return
    named = past_handing(named, context)
    contract = replace(named, arguments=Arguments.of(spelled_out(node, context.function)), used=False)
    defined = defining(contract, context.universe)
    if defined is not None and context.is_upstream(defined):
        yield contract


def _sent(holder: ast.expr, node: ast.Call, context: Context) -> CallContract | None:
    """What is called where the ``remote`` of an object is: the function or class that it holds."""
    match always_given(holder, context):
        case ast.Call(func=ast.Attribute(value=inner, attr="options")):
            return _sent(inner, node, context)
        case ast.Call(func=made, args=[target], keywords=[]) if _is_ray(
            dotted(made), context.file.module, context
        ):
            return callee(target, context.place(node), context)
        case ast.Call(func=ast.Call(func=made), args=[target]) if _is_ray(
            dotted(made), context.file.module, context
        ):
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
            _is_ray(d.partition("(")[0], found.module, context) for d in made.decorators
        ):
            return CallContract(symbol=found.name, arguments=Arguments(0, ()), place=context.place(node))
    return None


def _is_ray(written: str | None, module: str, context: Context) -> bool:
    return written is not None and context.universe.external_name(module, written) == _RAY
