"""Kinds of edit, found by registration: one module in :mod:`syncbot.deriving.edits` each."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar, TypeVar

from pydantic import BaseModel, ConfigDict

from syncbot.package_modules import import_all
from syncbot.patching import yaml_documents

if TYPE_CHECKING:
    import libcst as cst


class Edit(BaseModel):
    """One change of a function. A subclass says in its fields what it takes."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    name: ClassVar[str] = ""

    @abstractmethod
    def applied(self, function: cst.FunctionDef) -> cst.FunctionDef:
        """Return the function after the edit. Raises NoMatch, CannotRewrite where it finds no place."""


E = TypeVar("E", bound=type[Edit])
_EDITS: dict[str, type[Edit]] = {}


def edit(name: str) -> Callable[[E], E]:
    """Register a class as the edit of that name (class decorator)."""

    def register(cls: E) -> E:
        cls.name = name
        _EDITS[name] = cls
        return cls

    return register


def edits() -> dict[str, type[Edit]]:
    """Return all kinds of edit by name, sorted."""
    import_all("syncbot.deriving.edits")
    return dict(sorted(_EDITS.items()))


def find(name: str) -> type[Edit]:
    """Return the edit of that name. Raises ConfigurationError that names the nearest one."""
    return yaml_documents.chosen("edit", name, edits())
