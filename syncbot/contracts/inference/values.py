"""The answers of inference and their surroundings: values, and the names of the function around."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from syncbot.api.symbols import Symbol
from syncbot.contracts.inference.declared_types import Declared
from syncbot.contracts.inference.narrowing import Asserted


@dataclass(frozen=True, slots=True)
class Value:
    """A symbol, or (``instance``) an object of that class. ``bound``: the first parameter is filled; ``skip``
    counts the classes that ``super()`` passes over."""

    symbol: Symbol
    instance: bool = False
    bound: bool = False
    skip: int = 0


# What was inferred, and what was looked at for that.
Known = tuple[Value | None, frozenset[str]]


@dataclass
class Scope:
    """The names of one function: parameters by annotation, ``inherited`` ones by that of what the function
    overrides or implements, local names by the values they are given;
    ``narrowed`` are dotted names whose class a condition tells, ``asserted`` those of which several classes
    are asserted, each between two lines; ``known`` is what names were inferred to be."""

    module: str
    parent: Scope | None = None
    class_: Symbol | None = None
    receiver: str | None = None
    receiver_is_class: bool = False
    annotations: Mapping[str, str] = field(default_factory=dict)
    inherited: Mapping[str, Declared] = field(default_factory=dict)
    values: Mapping[str, list[ast.expr]] = field(default_factory=dict)
    narrowed: Mapping[str, str] = field(default_factory=dict)
    asserted: Mapping[str, Sequence[Asserted]] = field(default_factory=dict)
    imports: Mapping[str, str] = field(default_factory=dict)
    opaque: frozenset[str] = frozenset()
    active: set[str] = field(default_factory=set)
    known: dict[str, Known] = field(default_factory=dict, init=False, repr=False, compare=False)
    #: Whether a condition or assertion here, or around, tells anything: most say nothing.
    tells: bool = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        around = self.parent is not None and self.parent.tells
        self.tells = bool(self.narrowed or self.asserted) or around

    def binds(self, name: str) -> bool:
        """Whether the function, or one around it, gives a name a meaning."""
        here = (self.values, self.opaque, self.annotations, self.imports, self.inherited)
        return any(name in names for names in here) or (self.parent is not None and self.parent.binds(name))
