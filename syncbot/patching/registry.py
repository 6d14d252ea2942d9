"""What a rewrite rule is, and how the rules are found.

A rule is one module in ``syncbot/patching/rewrites``. Its class holds the arguments as pydantic fields,
so that the same definition validates a patch file, documents it (docs/schemas/patch.json) and does the
work. A new rule is a new file; nothing else changes.
"""

from __future__ import annotations

import difflib
import importlib
import pkgutil
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import ClassVar, TypeVar

from pydantic import BaseModel, ConfigDict

from syncbot.errors import ConfigurationError
from syncbot.impact.model import Location
from syncbot.patching.source import Source


@dataclass(frozen=True, slots=True)
class ApiChange:
    """What a rule is asked about: one API change where it meets the backend.

    ``kind`` and ``symbol`` are those of an Impact; ``details`` describes the change (names in
    docs/patches.md) and, under ``contract``, how the backend relies on the symbol.
    """

    kind: str
    symbol: str
    details: Mapping[str, str] = field(default_factory=dict)
    locations: tuple[Location, ...] = ()

    @property
    def contract(self) -> str:
        """The kind of contract that the change meets; empty where that is not known."""
        return self.details.get("contract", "")


class Rule(BaseModel, ABC):
    """A rewrite with its arguments. ``forward`` follows upstream's change, ``backward`` undoes it."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    name: ClassVar[str]

    @abstractmethod
    def forward(self, source: Source) -> str:
        """Return the text after the upstream change. Raises NoMatch, CannotRewrite."""

    @abstractmethod
    def backward(self, source: Source) -> str:
        """Return the text before the upstream change. Raises NoMatch, CannotRewrite."""

    @abstractmethod
    def mirror(self) -> Rule:
        """Return the rule whose ``forward`` is this one's ``backward``."""

    def needles(self, forward: bool) -> tuple[str, ...]:
        """Return texts that a file must all contain to be worth parsing."""
        return ()

    def concerns(self, path: str) -> bool:
        """Return whether the rule may touch the file at ``path``."""
        return True

    @classmethod
    def propose(cls, change: ApiChange) -> Rule | None:
        """Return the rule that answers an API change, or None if this is not the one."""
        return None


R = TypeVar("R", bound=type[Rule])
_RULES: dict[str, type[Rule]] = {}


def rule(name: str) -> Callable[[R], R]:
    """Register a class as the rule of that name (class decorator)."""

    def register(cls: R) -> R:
        cls.name = name
        _RULES[name] = cls
        return cls

    return register


@cache
def _discover() -> None:
    package = importlib.import_module("syncbot.patching.rewrites")
    for module in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"{package.__name__}.{module.name}")


def rules() -> dict[str, type[Rule]]:
    """Return all rules by name, sorted."""
    _discover()
    return dict(sorted(_RULES.items()))


def find(name: str) -> type[Rule]:
    """Return the rule of that name. Raises ConfigurationError that names the nearest one."""
    known = rules()
    if name not in known:
        near = difflib.get_close_matches(name, known, 1, 0)
        raise ConfigurationError(f"unknown rule {name!r}; the nearest is {near[0]!r}")
    return known[name]
