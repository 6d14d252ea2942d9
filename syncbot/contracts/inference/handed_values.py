"""Arguments that constructors of derived classes hand to those of their bases, which keep them as an
attribute."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from syncbot.api.every_node import every_node
from syncbot.api.expressions import FunctionNode, expression
from syncbot.api.model import Function
from syncbot.api.signatures import Signature, function_signatures
from syncbot.api.symbols import Member, Symbol
from syncbot.api.universe import Universe
from syncbot.contracts.function_sources import function_node


@dataclass(frozen=True, slots=True)
class Handed:
    """An expression, and the constructor of ``owner`` that hands it to the one of a base."""

    owner: Symbol
    constructor: Function
    value: ast.expr


def handed_to_base(universe: Universe, class_: Symbol, member: Member) -> Handed | None:
    """Return what an object of ``class_`` has in a member that a base sets to a parameter of its constructor,
    as far as constructors of derived classes tell; None where the base alone decides."""
    if not any(a.origin == "__init__" for a in member.attributes):
        return None
    below = list(_constructors(universe, class_, member.owner))
    if len(below) < 2 or below[-1][0] != member.owner:
        return None
    found = None
    values = [expression(a.value or "") for a in member.attributes]
    wanted = {name for value in values if value is not None for name in _names(value)}
    while len(below) > 1:
        _, base = below.pop()
        owner, function = below[-1]
        taken = function_signatures([base], bound=True)[0]
        kept = [p.name for p in taken.parameters if p.name in wanted]
        node = function_node(universe, owner.module, function, owner.qualname)
        value = _argument(node, taken, kept[0]) if node is not None and len(kept) == 1 else None
        if value is None:
            break
        found, wanted = Handed(owner, function, value), set(_names(value))
    return found


def _constructors(universe: Universe, class_: Symbol, last: Symbol) -> Iterator[tuple[Symbol, Function]]:
    """The classes of a lineage that have a constructor, up to one, each with it."""
    for owner in universe.lineage(class_).classes:
        made = [n for n in universe.defined(owner, "__init__") if isinstance(n, Function)]
        yield from [(owner, made[-1])] if made else []
        if owner == last:
            return


def _argument(node: FunctionNode, taken: Signature, name: str) -> ast.expr | None:
    """Return what the one call of the base's constructor passes for a parameter, if anything is seen."""
    calls = [n for n in every_node(node) if isinstance(n, ast.Call) and _is_base_constructor(n.func)]
    if len(calls) != 1:
        return None
    call = calls[0]
    named = next((k.value for k in call.keywords if k.arg == name), None)
    if named is not None or any(isinstance(a, ast.Starred) for a in call.args):
        return named
    places = [p.name for p in taken.positional]
    place = places.index(name) if name in places else len(call.args)
    return call.args[place] if place < len(call.args) else None


def _is_base_constructor(func: ast.expr) -> bool:
    match func:
        case ast.Attribute(value=ast.Call(func=ast.Name(id="super")), attr="__init__"):
            return True
    return False


def _names(node: ast.expr) -> Iterator[str]:
    return (n.id for n in every_node(node) if isinstance(n, ast.Name))
