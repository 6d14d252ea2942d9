"""What passes between the steps of differential type checking."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from syncbot.impact.model import Impact


@dataclass(frozen=True, slots=True, order=True)
class Diagnostic:
    """One message of a type checker: ``file`` relative to the backend's root, 1-based line and column."""

    file: str
    line: int
    column: int
    rule: str
    message: str


class Problem(StrEnum):
    """What is wrong, in words that every checker shares."""

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
    """A diagnostic as its engine reads it. ``owner`` is the module, class or function concerned, as the
    checker prints it, if it does; ``names`` are the attributes, parameters or members concerned; ``ours`` and
    ``theirs`` the printed types or signatures that do not fit. ``partly`` tells that only some members of a
    union lack the attribute."""

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
    """One run of a checker: the ``files`` of the backend, relative to ``backend``. ``search`` are the folders
    that imports start from, the backend's own first; ``environment`` is a virtual environment for third-party
    types."""

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
        """What the checker says under the rules that `read` knows. Raises EnvironmentFailure where it
        cannot finish."""
        ...

    def read(self, diagnostic: Diagnostic) -> Finding | None:
        """What a diagnostic means, None for those that never mean an upstream change."""
        ...


@dataclass(frozen=True, slots=True)
class TypecheckResult:
    """The impacts, the engines that could not be used (name, why and what to do), seconds by step, and
    the findings whose guilty commit could not be told."""

    impacts: tuple[Impact, ...]
    unavailable: tuple[tuple[str, str], ...] = ()
    seconds: dict[str, float] = field(default_factory=dict)
    unattributed: tuple[Finding, ...] = ()
