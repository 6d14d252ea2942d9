"""The symbols that names lead to: definitions, members of classes, and the base classes of a class."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from syncbot.api.model import Attribute, Class, Function

Node = Class | Function | Attribute


@dataclass(frozen=True, slots=True)
class Symbol:
    """The target of a dotted name. ``kind`` is ``module``, ``class``, ``function``, ``variable`` or
    ``unknown`` (it exists, unseen); ``nodes`` are its definitions, several if conditional or overloaded;
    ``via`` are the modules whose imports lead there."""

    kind: str
    module: str
    qualname: str
    nodes: tuple[Node, ...] = ()
    via: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The dotted name of the definition."""
        return f"{self.module}.{self.qualname}" if self.qualname else self.module

    @property
    def class_(self) -> Class | None:
        """The class definition, if it is one; ask `Universe.defined` or `Universe.body` for members."""
        return next((n for n in reversed(self.nodes) if isinstance(n, Class)), None)

    @property
    def functions(self) -> tuple[Function, ...]:
        """The function definitions."""
        return tuple(n for n in self.nodes if isinstance(n, Function))


@dataclass(frozen=True, slots=True)
class Member:
    """A member of a class: the class that defines it, and its definitions there."""

    owner: Symbol
    name: str
    nodes: tuple[Node, ...]

    @property
    def functions(self) -> tuple[Function, ...]:
        """The definitions that are functions."""
        return tuple(n for n in self.nodes if isinstance(n, Function))

    @property
    def attributes(self) -> tuple[Attribute, ...]:
        """The definitions that are attributes."""
        return tuple(n for n in self.nodes if isinstance(n, Attribute))

    @property
    def symbol(self) -> str:
        """The dotted name of the member."""
        return f"{self.owner.name}.{self.name}"


@dataclass(frozen=True, slots=True)
class Lineage:
    """The classes a class derives from, itself first; ``external`` are bases outside all trees."""

    classes: tuple[Symbol, ...]
    external: tuple[str, ...]


def definition(module: str, qualname: str, nodes: tuple[Node, ...]) -> Symbol:
    """Return the symbol for the definitions of one name: the last one determines its kind."""
    last = nodes[-1]
    kind = "class" if isinstance(last, Class) else "function" if isinstance(last, Function) else "variable"
    return Symbol(kind, module, qualname, nodes)


def by_name(nodes: Iterable[Node]) -> dict[str, list[Node]]:
    """Some definitions by their names."""
    found: dict[str, list[Node]] = {}
    for node in nodes:
        found.setdefault(node.name, []).append(node)
    return found


def is_dotted(text: str) -> bool:
    """Whether a text is a name, or names with dots between them."""
    return all(part.isidentifier() for part in text.split("."))
