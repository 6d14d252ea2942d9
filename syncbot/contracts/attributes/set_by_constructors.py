"""A constructor sets attributes on each object, which come before those of its class."""

from __future__ import annotations

from collections.abc import Sequence

from syncbot.api.model import Attribute
from syncbot.api.symbols import Symbol
from syncbot.api.universe import Universe
from syncbot.contracts.attributes.natures import is_unconditional
from syncbot.contracts.changes import ChangeKind
from syncbot.contracts.grounds import Ground
from syncbot.contracts.model import Contract, Finding


def set_by_constructor(owner: Symbol, name: str, universe: Universe) -> list[Attribute]:
    """Return what the constructor of a class itself gives its objects under a name."""
    return [n for n in universe.defined(owner, name) if isinstance(n, Attribute) and n.origin == "__init__"]


def newly_set(contract: Contract, owner: Symbol, given: Sequence[Attribute], what: str) -> Finding:
    """The finding that the constructor of ``owner`` sets an attribute now, and ``what`` follows from that."""
    sure, name = is_unconditional(given), given[0].name
    paths = "" if sure else ", on some conditions"
    reason = f"{owner.name}.__init__() now sets {name} on each object{paths}: {what}"
    ground = Ground.SET_ON_OBJECTS if sure else Ground.DOUBTED
    symbol = f"{owner.name}.{name}"
    return Finding(contract, ChangeKind.ATTRIBUTE_HIDDEN, symbol, ground, reason, subject=name)
