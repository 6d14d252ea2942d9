"""The result of subscripting an object of a class, where the class declares it."""

from __future__ import annotations

import ast

from syncbot.api.symbols import Symbol
from syncbot.api.universe import Universe
from syncbot.contracts.inference.declared_types import Declared, written
from syncbot.contracts.inference.named_tuples import tuple_fields


def item_of(universe: Universe, class_: Symbol, key: ast.expr) -> Declared | None:
    """The type of ``thing[key]``: of a field of a named tuple, or what ``__getitem__`` is said to give."""
    if isinstance(key, ast.Slice):
        return None
    match key:
        case ast.Constant(value=int(place)) if tuple_fields(universe, class_) is not None:
            return _field(universe, class_, place)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(place))) if (
            tuple_fields(universe, class_) is not None
        ):
            return _field(universe, class_, -place)
    return _declared(universe, class_, "__getitem__")


def _field(universe: Universe, class_: Symbol, place: int) -> Declared | None:
    """The type of a field of a named tuple."""
    for one in universe.lineage(class_).classes:
        body = universe.body(one)
        fields = [a for a in body.attributes if a.annotation] if body is not None else []
        if fields and -len(fields) <= place < len(fields):
            return written(one.module, fields[place].annotation)
    return None


def _declared(universe: Universe, class_: Symbol, method: str) -> Declared | None:
    """Return what a method of a class is declared to return."""
    found = universe.member(class_, method)
    functions = found.functions if found is not None else ()
    return written(found.owner.module, functions[-1].annotation) if found is not None and functions else None
