"""Arguments that a call lacks for the function that the one it calls hands all its arguments on to."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace

from syncbot.api.every_node import every_node
from syncbot.api.expressions import FunctionNode, string
from syncbot.api.methods import is_static
from syncbot.api.signatures import Arguments, Signature, bind
from syncbot.api.universe import Universe
from syncbot.contracts.calls.certain_statements import certain, evaluated
from syncbot.contracts.calls.forwarded_keywords import Reached, followed
from syncbot.contracts.function_sources import function_node

# So many functions are followed into one another.
_DEPTH = 3
_READING = {"get", "keys", "items", "values", "copy"}


@dataclass(frozen=True, slots=True)
class Lacking:
    """A parameter that the function ``callee`` requires and is not given."""

    callee: str
    parameter: str


def lacking(universe: Universe, reached: Reached, arguments: Arguments) -> Lacking | None:
    """The first required parameter that never arrives, where a function hands on all that it is given. It is
    sure to: in a statement that runs whenever the function does."""
    owner = reached.owner.qualname if reached.owner is not None else ""
    node = function_node(universe, reached.module, reached.function, owner)
    catcher = next((p.name for p in reached.function.parameters if p.kind == "**"), None)
    if node is None or catcher is None or arguments.starred or arguments.hides_keywords:
        return None
    taken = _taken_out(node, catcher)
    handing = list(_handing(node, catcher))
    if taken is None or len(handing) != 1 or reached.depth >= _DEPTH:
        return None
    further = followed(universe, reached, node, handing[0].func)
    if further is None:
        return None
    arriving = _arriving(node, handing[0], reached, arguments, taken)
    return _unfilled(universe, further, arriving) if arriving is not None else None


def _unfilled(universe: Universe, further: Reached, arriving: Arguments) -> Lacking | None:
    bound = further.owner is not None and not is_static(further.function)
    parameters = further.function.parameters[1:] if bound else further.function.parameters
    name = further.function.name
    where = f"{further.owner.qualname}.{name}" if further.owner is not None else name
    problems = bind(Signature(tuple(parameters)), arriving)
    if problems:
        # What is not taken any more is told for itself.
        missing = [p.name for p in problems if p.kind == "missing"]
        known = all(p.kind in ("missing", "unexpected") for p in problems)
        return Lacking(f"{further.module}.{where}", missing[0]) if missing and known else None
    return lacking(universe, further, arriving)


def _handing(node: FunctionNode, catcher: str) -> Iterator[ast.Call]:
    """The calls that are given all of ``**catcher`` in statements that are sure to run."""
    for statement in certain(node.body):
        for inner in evaluated(statement):
            if isinstance(inner, ast.Call) and any(
                k.arg is None and isinstance(k.value, ast.Name) and k.value.id == catcher
                for k in inner.keywords
            ):
                yield inner


def _taken_out(node: FunctionNode, catcher: str) -> frozenset[str] | None:
    """The keys that a function takes out of its keywords by name; None where it may put others in."""
    taken: set[str] = set()
    understood = 0
    for inner in every_node(node):
        match inner:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="pop"), args=[key, *_]) if (
                name == catcher
            ):
                if (text := string(key)) is None:
                    return None
                taken.add(text)
                understood += 1
            case ast.Attribute(value=ast.Name(id=name), attr=attr) if name == catcher and attr in _READING:
                understood += 1
            case ast.Subscript(value=ast.Name(id=name), ctx=ast.Load()) if name == catcher:
                understood += 1
            case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[ast.Name(id=name)]) if (
                name == catcher
            ):
                understood += 1
            case ast.keyword(arg=None, value=ast.Name(id=name)) if name == catcher:
                understood += 1
    uses = sum(isinstance(n, ast.Name) and n.id == catcher for n in every_node(node))
    return frozenset(taken) if uses == understood else None


def _arriving(
    node: FunctionNode, call: ast.Call, reached: Reached, arguments: Arguments, taken: frozenset[str]
) -> Arguments | None:
    """Return what the function that is called further is given; None where that cannot be told."""
    named = {p.name for p in reached.function.parameters if p.kind in ("any", "key", "pos")}
    caught = [k for k in arguments.keywords if k not in named and k not in taken]
    written = Arguments.of(_unspread(call))
    spread = next((a for a in call.args if isinstance(a, ast.Starred)), None)
    rest = 0
    if spread is not None:
        star = next((p.name for p in reached.function.parameters if p.kind == "*"), None)
        if not (isinstance(spread.value, ast.Name) and spread.value.id == star) or _is_stored(node, star):
            return None
        places = sum(p.kind in ("any", "pos") for p in reached.function.parameters)
        bound = reached.owner is not None and not is_static(reached.function)
        rest = max(0, arguments.positional - (places - bound))
    keywords = (*written.keywords, *(k for k in caught if k not in written.keywords))
    return replace(written, positional=written.positional + rest, keywords=keywords)


def _unspread(call: ast.Call) -> ast.Call:
    """A call without what it spreads."""
    return ast.Call(
        func=call.func,
        args=[a for a in call.args if not isinstance(a, ast.Starred)],
        keywords=[k for k in call.keywords if k.arg is not None],
    )


def _is_stored(node: FunctionNode, name: str) -> bool:
    return any(
        isinstance(n, ast.Name) and n.id == name and not isinstance(n.ctx, ast.Load) for n in every_node(node)
    )
