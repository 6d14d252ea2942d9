"""The data that the steps of differential type checking exchange."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from syncbot.errors import EnvironmentFailure
from syncbot.impact.model import Ended, EngineState, Impact


@dataclass(frozen=True, slots=True, order=True)
class Diagnostic:
    """One message of a type checker: ``file`` relative to the backend's root, 1-based line and column."""

    file: str
    line: int
    column: int
    rule: str
    message: str


class Problem(StrEnum):
    """The kind of a problem, in words that every checker shares."""

    MODULE_MISSING = "module missing"
    NAME_MISSING = "name missing from a module"
    NAME_BORROWED = "name no longer meant for import"
    ATTRIBUTE_MISSING = "attribute missing"
    ATTRIBUTE_UNKNOWN = "attribute of unknown type"
    ATTRIBUTE_READ_ONLY = "attribute cannot be set"
    ATTRIBUTE_TYPE = "attribute of another type than the base's"
    KEYWORD_UNKNOWN = "unknown keyword"
    ARGUMENT_MISSING = "missing argument"
    ARGUMENT_SURPLUS = "too many positional arguments"
    ARGUMENT_TWICE = "argument given twice"
    ARGUMENT_TYPE = "argument of another type"
    OVERRIDE = "incompatible override"
    REPLACEMENT = "function replaced by one of another signature"
    ABSTRACT = "abstract member"
    UNPACK = "tuple of another size"
    NOT_ITERABLE = "not iterable"
    DEPRECATED = "deprecated"
    VALUE_TYPE = "value of another type"


@dataclass(frozen=True, slots=True)
class Finding:
    """A diagnostic as its engine reads it. ``owner`` is the module, class or function as printed; ``names``
    are the members or parameters; ``ours`` and ``theirs`` printed types that do not fit; ``partly``: only
    some members of a union lack it."""

    diagnostic: Diagnostic
    engine: str
    problem: Problem
    owner: str = ""
    names: tuple[str, ...] = ()
    ours: str = ""
    theirs: str = ""
    partly: bool = False


@dataclass(frozen=True, slots=True)
class Job:
    """One run of a checker on ``files`` below ``backend``. Imports start from the folders ``search``;
    ``environment`` has third-party types."""

    backend: Path
    files: tuple[str, ...]
    search: tuple[Path, ...]
    environment: Path | None
    scratch: Path


class Engine(Protocol):
    """A type checker. A new one is one file in ``engines`` that registers an instance."""

    name: str
    memory: int
    """Megabytes that one run may need with third-party types."""

    def version(self) -> str | None:
        """The installed version, None where the checker is not installed."""
        ...

    def diagnostics(self, job: Job) -> frozenset[Diagnostic]:
        """Return the checker's diagnostics under the rules that `read` knows. Raises EnvironmentFailure."""
        ...

    def read(self, diagnostic: Diagnostic) -> Finding | None:
        """Return the finding that a diagnostic means, None for those that never mean an upstream change."""
        ...


@dataclass(frozen=True, slots=True)
class TypecheckResult:
    """Impacts, what became of each engine that was asked, findings without a commit."""

    impacts: tuple[Impact, ...]
    engines: tuple[EngineState, ...] = ()
    unattributed: tuple[Finding, ...] = ()

    @property
    def unfinished(self) -> tuple[EngineState, ...]:
        """The engines whose findings are lacking."""
        return tuple(engine for engine in self.engines if engine.state is not Ended.FINISHED)


class EngineFailed(EnvironmentFailure):
    """An engine could not do one of its tasks; ``engine`` is its name."""

    def __init__(self, engine: str, reason: str) -> None:
        super().__init__(reason)
        self.engine = engine
