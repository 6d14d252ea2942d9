"""The argument that a class gives for the type variable of a generic class that it derives from."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from syncbot.api.expressions import dotted, expression
from syncbot.api.model import Attribute
from syncbot.api.symbols import Symbol
from syncbot.api.universe import Universe
from syncbot.contracts.inference.declared_types import Declared

_VARIABLE = re.compile(r"(?:\w+\.)?TypeVar\((.*)\)")


def type_variable(universe: Universe, module: str, name: str) -> ast.Call | None:
    """The call of ``TypeVar`` that a name of a module stands for."""
    found = universe.local(module, name) if name.isidentifier() else None
    last = found.nodes[-1] if found is not None and found.nodes else None
    if not isinstance(last, Attribute) or not _VARIABLE.fullmatch(last.value or ""):
        return None
    made = expression(last.value or "")
    return made if isinstance(made, ast.Call) else None


def argument_for(universe: Universe, class_: Symbol, owner: Symbol, variable: str) -> Declared | None:
    """The type that a class derived from ``owner`` has for a type variable of that one: the argument that it
    gives, or a class between, else what bounds the variable. None where ``variable`` is none."""
    made = type_variable(universe, owner.module, variable)
    if made is None:
        return None
    for derived in universe.lineage(class_).classes:
        for base, given in _arguments(derived, universe):
            place = _place(owner, variable) if base.name == owner.name else None
            if place is None or place >= len(given):
                continue
            named = dotted(given[place])
            if named is None or type_variable(universe, derived.module, named) is None:
                return Declared(derived.module, given[place])
    bound = next((keyword.value for keyword in made.keywords if keyword.arg == "bound"), None)
    return Declared(owner.module, bound) if bound is not None else None


def _arguments(class_: Symbol, universe: Universe) -> Iterator[tuple[Symbol, list[ast.expr]]]:
    """The bases of a class that it gives type arguments, with these."""
    written = class_.class_.bases if class_.class_ is not None else ()
    if any("[" in base for base in written):
        for text, (_, base) in zip(written, universe.bases(class_), strict=True):
            if base is not None and (given := _given(text)):
                yield base, given


def _given(base: str) -> list[ast.expr]:
    node = expression(base)
    inside = node.slice if isinstance(node, ast.Subscript) else None
    return list(inside.elts) if isinstance(inside, ast.Tuple) else [inside] if inside is not None else []


def _place(owner: Symbol, variable: str) -> int | None:
    """The place of a type variable among those of a class: ``Generic[A, B]`` tells, else the first base."""
    bases = owner.class_.bases if owner.class_ is not None else ()
    for text in sorted(bases, key=lambda base: not base.partition("[")[0].endswith("Generic")):
        names = [dotted(each) for each in _given(text)]
        if variable in names:
            return names.index(variable)
    return None
