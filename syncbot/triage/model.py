"""The contents of logs: lines, frames, exceptions, and failures with the symptom of each."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import msgspec


class Line(msgspec.Struct, frozen=True, gc=False):
    """A line of a log (there are millions), without its ``process`` and what ``logged`` it."""

    number: int
    process: str
    logged: str
    text: str


@dataclass(frozen=True, slots=True)
class Frame:
    """One entry of a traceback: the file as the log names it, 1-based line, function, and source text."""

    path: str
    line: int
    function: str = ""
    code: str = ""


@dataclass(frozen=True, slots=True)
class Raised:
    """One exception as printed. ``type`` is empty for a bare message. ``link``: the one before is its
    ``cause``, its ``context`` (handled meanwhile), or printed around it as ``inner`` cause."""

    type: str
    message: str
    frames: tuple[Frame, ...] = ()
    link: str = ""

    @property
    def name(self) -> str:
        """The exception's class without its module."""
        return self.type.rpartition(".")[2]

    @property
    def text(self) -> str:
        """Type and message as Python prints them."""
        return ": ".join(part for part in (self.type, self.message) if part)


@dataclass(frozen=True, slots=True)
class Trace:
    """Exceptions that belong together, as printed, and where: log, line, process, and test if known."""

    raised: tuple[Raised, ...]
    source: str = ""
    line: int = 0
    process: str = ""
    test: str = ""


@dataclass(frozen=True, slots=True)
class FailedTest:
    """A line of pytest's summary; ``error`` is what it says behind the test's name, if anything."""

    test: str
    error: str
    source: str = ""
    line: int = 0


class Nature(StrEnum):
    """Where to look: code and what it uses do not fit, a value is wrong, or the cause is no code."""

    INTERFACE = "interface"
    BEHAVIOUR = "behaviour"
    ENVIRONMENT = "environment"


@dataclass(frozen=True, slots=True)
class Symptom:
    """An error text understood: ``subject`` (``Encoder.__init__``), ``names`` of parts (a keyword, an
    attribute); ``note`` says what happened where nobody can be blamed, ``act`` what to do then;
    ``of_module``: a module lacks an attribute."""

    kind: str
    nature: Nature
    subject: str = ""
    names: tuple[str, ...] = ()
    note: str = ""
    act: str = ""
    of_module: bool = False


@dataclass(frozen=True, slots=True)
class Failure:
    """Equal exceptions folded into one; ``symptom`` is None for an unknown error; ``chain`` were printed
    together. ``follows`` is the failure that led here, None for a cause, empty if unlogged."""

    error: Raised
    symptom: Symptom | None
    count: int
    source: str
    line: int
    processes: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    chain: tuple[Raised, ...] = ()
    follows: str | None = None

    @property
    def text(self) -> str:
        """Type and message as Python prints them."""
        return self.error.text
