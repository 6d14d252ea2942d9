"""Calls that a thread, a process, an executor or an event loop makes later."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from syncbot.api.expressions import dotted, string
from syncbot.api.signatures import Arguments
from syncbot.contracts.calls.callees import callee
from syncbot.contracts.calls.declared_arguments import written_type
from syncbot.contracts.calls.targets import CallContract, defining
from syncbot.contracts.context import Context
from syncbot.contracts.registry import finder

# What changes a dictionary that a variable holds.
_CHANGING = {"update", "pop", "popitem", "setdefault", "clear", "__setitem__"}


@dataclass(frozen=True, slots=True)
class _Shape:
    """How a function is told what to call: the place of the callable, whether arguments follow one by one
    (``spread``, with keywords where ``keywords``) or stand in a tuple and a dictionary of these names, the
    tuple at place ``packed``."""

    place: int
    spread: bool = True
    packed: int = 0
    keywords: bool = False
    several: str = "args"
    by_name: str = "kwargs"
    called: str = "target"


_THREAD = _Shape(1, spread=False, packed=3)
_POOLED = _Shape(0, spread=False, packed=1, by_name="kwds", called="func")
#: By the last part of what is called.
_SHAPES: Mapping[str, _Shape] = {
    "Thread": _THREAD,
    "Process": _THREAD,
    "Timer": _Shape(1, spread=False, packed=2, called="function"),
    "apply_async": _POOLED,
    "submit": _Shape(0, keywords=True),
    "to_thread": _Shape(0, keywords=True),
    "finalize": _Shape(1, keywords=True),
    "register": _Shape(0, keywords=True),
    "run_in_executor": _Shape(1),
    "call_soon": _Shape(0),
    "call_soon_threadsafe": _Shape(0),
    "call_later": _Shape(1),
    "call_at": _Shape(1),
}


@finder(ast.Call)
def find_deferred(node: ast.Call, context: Context) -> Iterator[CallContract]:
    """The upstream functions that are handed on with their arguments, to be called later."""
    receiver, _, name = _written(node.func).rpartition(".")
    shape = _SHAPES.get(name)
    if shape is None or (name == "register" and receiver != "atexit"):
        return
    func = _argument(node, shape.place, "" if shape.spread else shape.called)
    named = callee(func, context.place(node), context) if isinstance(func, ast.Name | ast.Attribute) else None
    if named is None or any(isinstance(a, ast.Starred) for a in node.args[: shape.place + 1]):
        return
    arguments, types = _spread(node, shape) if shape.spread else _packed(node, shape, context)
    contract = replace(named, arguments=arguments, used=False, types=types)
    target = defining(contract, context.universe)
    if target is not None and context.is_upstream(target):
        yield contract


def _written(func: ast.expr) -> str:
    """What is called, with the last name alone where the rest is no name."""
    return dotted(func) or (f"?.{func.attr}" if isinstance(func, ast.Attribute) else "")


def _argument(node: ast.Call, place: int, name: str) -> ast.expr | None:
    given = next((k.value for k in node.keywords if name and k.arg == name), None)
    if given is not None or place >= len(node.args):
        return given
    return node.args[place]


def _spread(node: ast.Call, shape: _Shape) -> tuple[Arguments, tuple[tuple[str, str], ...]]:
    """The arguments that follow the callable."""
    keywords = [k for k in node.keywords if shape.keywords]
    rest = ast.Call(func=node.func, args=node.args[shape.place + 1 :], keywords=keywords)
    return Arguments.of(rest), ()


def _packed(node: ast.Call, shape: _Shape, context: Context) -> tuple[Arguments, tuple[tuple[str, str], ...]]:
    """The arguments in a tuple and a dictionary, unknown ones where these are not written here."""
    several = _literal(_argument(node, shape.packed, shape.several), context)
    by_name = _literal(_argument(node, shape.packed + 1, shape.by_name), context)
    elements = several.elts if isinstance(several, ast.Tuple | ast.List) else []
    starred = several is not None and not isinstance(several, ast.Tuple | ast.List)
    starred = starred or any(isinstance(e, ast.Starred) for e in elements)
    items = dict(_items(by_name)) if by_name is not None else {}
    hidden = by_name is not None and None in items
    named = {key: value for key, value in items.items() if key is not None}
    places = [] if starred else [(str(at), element) for at, element in enumerate(elements)]
    typed = ((key, written_type(value, context)) for key, value in (*places, *named.items()))
    arguments = Arguments(0 if starred else len(elements), tuple(named), starred, hidden)
    return arguments, tuple((key, type_) for key, type_ in typed if type_)


def _items(node: ast.expr) -> Iterator[tuple[str | None, ast.expr]]:
    """The keywords that a dictionary has by name; None stands for any others."""
    match node:
        case ast.Dict(keys=keys, values=values):
            yield from ((string(k) if k is not None else None, v) for k, v in zip(keys, values, strict=True))
        case ast.Call(func=ast.Name(id="dict"), args=[], keywords=keywords):
            yield from ((k.arg, k.value) for k in keywords)
        case _:
            yield None, node


def _literal(node: ast.expr | None, context: Context) -> ast.expr | None:
    """An expression, or the one value of the local variable that it is, if nothing changes that one."""
    if not isinstance(node, ast.Name) or context.function is None:
        return node
    values: list[ast.expr] = []
    for inner in ast.walk(context.function):
        match inner:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if name == node.id:
                values.append(value)
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()) if name == node.id:
                values.append(node)
            case ast.arg(arg=name) if name == node.id:
                return node
            case ast.Subscript(value=ast.Name(id=name), ctx=ast.Store() | ast.Del()) if name == node.id:
                return node
            case ast.Attribute(value=ast.Name(id=name), attr=attr) if name == node.id and attr in _CHANGING:
                return node
    others = [value for value in values if value is not node]
    # The name that an assignment binds is met as well as the assignment.
    return others[0] if len(others) == 1 and len(values) == 2 else node
