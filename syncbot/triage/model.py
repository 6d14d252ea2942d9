"""What logs contain: lines, frames, exceptions, and failures with the symptom of each."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple


class Line(NamedTuple):
    """One line of a log (a tuple: there are millions): ``process`` is the process named before it, ``logged``
    the level and place that a logger wrote, ``text`` the rest, with its indentation."""

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
    """One exception as printed; ``frames`` end where it was raised, ``type`` is empty for a bare message.

    ``link`` says how the one before leads to it: ``cause`` (raised from it), ``context`` (raised while it was
    handled), ``inner`` (this one, printed inside it, is its cause), empty for none.
    """

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
    """Exceptions that belong together, in the order printed, and where they stand: log, line, process,
    and the test they were raised in where the log tells it."""

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
    """Where the cause of an error can be looked for: where code and what it uses do not fit together (either
    is guilty), in wrong values (what changed near the frames may be), or outside of the code."""

    INTERFACE = "interface"
    BEHAVIOUR = "behaviour"
    ENVIRONMENT = "environment"


@dataclass(frozen=True, slots=True)
class Symptom:
    """An error text understood: ``subject`` is what it speaks of (``Encoder.__init__``), ``names`` are the
    parts concerned (a keyword, an attribute), ``note`` says what the kind means where nobody can be blamed,
    ``of_module`` that a module lacks an attribute."""

    kind: str
    nature: Nature
    subject: str = ""
    names: tuple[str, ...] = ()
    note: str = ""
    of_module: bool = False


@dataclass(frozen=True, slots=True)
class Failure:
    """Equal exceptions folded into one. ``symptom`` is None for an error that no kind knows. ``chain`` are
    the exceptions printed together with it, itself included. ``follows`` is the text of the failure that led
    to this one, None for a cause, empty where the logs do not have it."""

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
