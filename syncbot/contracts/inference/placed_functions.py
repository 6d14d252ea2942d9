"""Functions of the backend that another module of it puts into upstream's place: the first parameter of
a method is an object of the class, and what has no annotation is what the function replaced took."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from syncbot.api.symbols import Symbol
from syncbot.api.universe import Universe
from syncbot.contracts.inference.parameter_types import Placed


@dataclass(frozen=True, slots=True)
class Placing:
    """Where a function of the backend goes: the upstream class that it is put into, and the function that it
    replaces; None where there are several, or none."""

    class_: Symbol | None = None
    replaced: Placed | None = None


NOWHERE = Placing()


def result_of(function: str) -> str:
    """The name by which the function is known that another one, of this dotted name, returns."""
    return f"{function}()"


def placings(statements: Iterable[tuple[str, str, str]], universe: Universe) -> Mapping[str, Placing]:
    """Return what statements say together, each of them with the function's dotted name, that of the owner,
    and the name by which this one has the function from then on."""
    found: dict[str, set[tuple[str, str]]] = {}
    for function, owner, name in statements:
        found.setdefault(function, set()).add((owner, name))
    return {function: placing(places, universe) for function, places in found.items()}


def placing(places: Iterable[tuple[str, str]], universe: Universe) -> Placing:
    """Where a function goes that is put into these places, each an owner's dotted name and the name there."""
    classes: dict[str, Symbol] = {}
    replaced: dict[str, Placed] = {}
    for owner, name in places:
        symbol = universe.resolve(owner)
        before = _before(symbol, name, universe) if symbol is not None else None
        if symbol is not None:
            classes[symbol.name] = symbol
        if before is not None:
            replaced[f"{before[0]}.{name}"] = before
    only = next(iter(classes.values())) if len(classes) == 1 else None
    model = next(iter(replaced.values())) if len(replaced) == 1 else None
    return Placing(only if only is not None and only.kind == "class" else None, model)


def _before(owner: Symbol, name: str, universe: Universe) -> Placed | None:
    """The function that an owner has under a name in upstream."""
    if owner.kind == "class":
        member = universe.member(owner, name)
        return (
            (member.owner.module, member.functions[-1]) if member is not None and member.functions else None
        )
    found = universe.attribute(owner, name)
    return (found.module, found.functions[-1]) if found is not None and found.functions else None
