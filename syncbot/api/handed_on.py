"""Calls that something else makes: a thread, a process, an executor, an event loop or a partial function is
handed the callable with its arguments."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from syncbot.api.expressions import dotted, string


@dataclass(frozen=True, slots=True)
class Shape:
    """How a function is told what to call: the place of the callable, whether arguments follow one by one
    (``spread``, with keywords where ``keywords``) or stand in a tuple and a dictionary of these names, the
    tuple at place ``packed``. ``more``: the call adds some that are not seen here."""

    place: int
    spread: bool = True
    packed: int = 0
    keywords: bool = False
    several: str = "args"
    by_name: str = "kwargs"
    called: str = "target"
    more: bool = False


_NONE = ast.Tuple(elts=[])
_THREAD = Shape(1, spread=False, packed=3)
_POOLED = Shape(0, spread=False, packed=1, by_name="kwds", called="func")
#: By the last part of what is called.
SHAPES: Mapping[str, Shape] = {
    "Thread": _THREAD,
    "Process": _THREAD,
    "Timer": Shape(1, spread=False, packed=2, called="function"),
    "apply_async": _POOLED,
    "submit": Shape(0, keywords=True),
    "to_thread": Shape(0, keywords=True),
    "finalize": Shape(1, keywords=True),
    "register": Shape(0, keywords=True),
    "run_in_executor": Shape(1),
    "call_soon": Shape(0),
    "call_soon_threadsafe": Shape(0),
    "call_later": Shape(1),
    "call_at": Shape(1),
    "partial": Shape(0, keywords=True, more=True),
}


@dataclass(frozen=True, slots=True)
class HandedOn:
    """A callable, and what it is handed on with: the arguments that follow it, or the expressions of a tuple
    (``several``) and of a dictionary (``by_name``)."""

    shape: Shape
    func: ast.expr
    following: tuple[ast.expr, ...] = ()
    keywords: tuple[ast.keyword, ...] = ()
    several: ast.expr | None = None
    by_name: ast.expr | None = None


def handed_on(node: ast.Call) -> HandedOn | None:
    """Return the callable that a call hands on, with its arguments; None where it visibly hands on none."""
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    shape = SHAPES.get(name)
    if shape is None and (asked := _asked_by_name(node)) is not None:
        return asked
    if shape is None or (name == "register" and dotted(node.func) != "atexit.register"):
        return None
    func = _argument(node, shape.place, "" if shape.spread else shape.called)
    if func is None or any(isinstance(a, ast.Starred) for a in node.args[: shape.place + 1]):
        return None
    if shape.spread:
        keywords = tuple(node.keywords) if shape.keywords else ()
        return HandedOn(shape, func, tuple(node.args[shape.place + 1 :]), keywords)
    several = _argument(node, shape.packed, shape.several)
    return HandedOn(shape, func, several=several, by_name=_argument(node, shape.packed + 1, shape.by_name))


def _asked_by_name(node: ast.Call) -> HandedOn | None:
    """The call that ``everybody("method", args=(…), kwargs={…})`` asks for: of that method of any object."""
    method = string(node.args[0]) if len(node.args) == 1 else None
    given = {k.arg: k.value for k in node.keywords}
    if method is None or not method.isidentifier() or not isinstance(given.get("args", _NONE), ast.Tuple):
        return None
    if "kwargs" in given and any(key is None for key, _ in items(given["kwargs"])):
        return None
    if given.keys().isdisjoint(("args", "kwargs")):
        return None
    func = ast.Attribute(value=ast.Constant(value=None), attr=method, ctx=ast.Load())
    shape = Shape(0, spread=False)
    return HandedOn(shape, ast.copy_location(func, node), (), (), given.get("args"), given.get("kwargs"))


def as_call(handed: HandedOn) -> ast.Call:
    """The call that will be made: what is not written out stands there with stars."""
    args, keywords = list(handed.following), list(handed.keywords)
    match handed.several:
        case ast.Tuple(elts=elements) | ast.List(elts=elements):
            args += elements
        case ast.expr() as several:
            args.append(ast.Starred(value=several))
    if handed.by_name is not None:
        keywords += [ast.keyword(arg=name, value=value) for name, value in items(handed.by_name)]
    if handed.shape.more:
        args.append(ast.Starred(value=ast.Tuple(elts=[])))
    return ast.copy_location(ast.Call(func=handed.func, args=args, keywords=keywords), handed.func)


def items(node: ast.expr) -> Iterator[tuple[str | None, ast.expr]]:
    """The keywords that a dictionary has by name; None stands for any others."""
    match node:
        case ast.Dict(keys=keys, values=values):
            yield from ((string(k) if k is not None else None, v) for k, v in zip(keys, values, strict=True))
        case ast.Call(func=ast.Name(id="dict"), args=[], keywords=keywords):
            yield from ((k.arg, k.value) for k in keywords)
        case _:
            yield None, node


def _argument(node: ast.Call, place: int, name: str) -> ast.expr | None:
    given = next((k.value for k in node.keywords if name and k.arg == name), None)
    if given is not None or place >= len(node.args):
        return given
    return node.args[place]
