"""Methods of upstream that choose one of several others to be called: what is chosen is called in one way."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from syncbot.api.expressions import FunctionNode
from syncbot.api.model import Function
from syncbot.api.symbols import Symbol
from syncbot.api.universe import Universe
from syncbot.contracts.function_sources import function_node

_MAY_CHOOSE = re.compile(rb"\breturn self\.\w+")
_WHATEVER = [["*", "**"], ["*"], ["**"]]


@dataclass(frozen=True, slots=True)
class Dispatcher:
    """The method ``name`` of ``owner`` returns one of its object's methods, the ``choices``."""

    owner: Symbol
    name: str
    choices: tuple[str, ...]


def dispatchers(own: Symbol, universe: Universe, is_upstream: Callable[[str], bool]) -> Iterator[Dispatcher]:
    """The upstream methods in the lineage of a class that choose among methods of its objects."""
    for owner in universe.lineage(own).classes:
        body = universe.body(owner) if is_upstream(owner.module) else None
        for function in body.functions if body is not None else ():
            # One that always gives the same has that as its result.
            if (
                "value" not in function.returned
                or function.result
                or not _may_choose(owner, function, universe)
            ):
                continue
            node = function_node(universe, owner.module, function, owner.qualname)
            named = dict.fromkeys(_chosen(node)) if node is not None else {}
            choices = tuple(name for name in named if _is_method(owner, name, universe))
            if len(choices) > 1:
                yield Dispatcher(owner, function.name, choices)


def followed(own: Symbol, name: str, dispatcher: Dispatcher, universe: Universe) -> str | None:
    """The choice beside ``name`` whose parameters tell how all are called: of the nearest class that has one
    that does not take whatever it is given."""
    others = [choice for choice in dispatcher.choices if choice != name]
    for owner in universe.lineage(own).classes[1:]:
        for choice in others:
            functions = [n for n in universe.defined(owner, choice) if isinstance(n, Function)]
            if functions and not _takes_whatever(functions[-1]):
                return choice
    return None


def _may_choose(owner: Symbol, function: Function, universe: Universe) -> bool:
    # One that always gives the same has that as its result.
    if "value" not in function.returned or function.result:
        return False
    source = universe.source(owner.module) or b""
    lines = source.split(b"\n")[function.line - 1 : function.end_line]
    return sum(len(_MAY_CHOOSE.findall(line)) for line in lines) > 1


def _chosen(node: FunctionNode) -> Iterator[str]:
    """The attributes of its object that a function returns, as they are or made something of by a call."""
    receiver = node.args.args[0].arg if node.args.args else ""
    for statement in ast.walk(node):
        if not isinstance(statement, ast.Return):
            continue
        value = statement.value
        parts = value.args[:1] if isinstance(value, ast.Call) else [value]
        for part in parts:
            match part:
                case ast.Attribute(value=ast.Name(id=name), attr=attr) if name == receiver:
                    yield attr


def _is_method(owner: Symbol, name: str, universe: Universe) -> bool:
    member = universe.member(owner, name)
    return member is not None and bool(member.functions) and not member.functions[-1].decorators


def _takes_whatever(function: Function) -> bool:
    return [p.kind for p in function.parameters[1:]] in _WHATEVER
