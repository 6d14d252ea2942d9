"""What logs contain: lines, frames, exceptions, and failures with the symptom of each."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple


class Line(NamedTuple):
    """One line of a log without what was put before it. (A tuple: there are millions of them.)

    ``process`` is the process named in front of it (``Worker_TP0 pid=12``, ``rank0``; empty where none is),
    ``logged`` the level and place that a logger wrote there, ``text`` the rest, with its indentation.
    """

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
    """One exception as printed. ``frames`` go from the outermost to where it was raised.

    ``link`` says how the exception printed before it leads to it: ``cause`` (raised from it), ``context``
    (raised while it was handled), ``inner`` (this one, printed inside it, is its cause), empty for none.
    ``type`` is empty for a message that no exception came with.
    """

    type: str
    message: str
    frames: tuple[Frame, ...] = ()
    link: str = ""

    @property
    def name(self) -> str:
        """The exception's class without its module."""
        return self.type.rpartition(".")[2]


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
    """Where the cause of an error can be looked for.

    ``interface``: code and what it uses do not fit together, so that a change of either is guilty.
    ``behaviour``: values were wrong; what changed near the frames may be guilty. ``environment``: machine,
    network, disk, other programs; no change of the code is blamed.
    """

    INTERFACE = "interface"
    BEHAVIOUR = "behaviour"
    ENVIRONMENT = "environment"


@dataclass(frozen=True, slots=True)
class Symptom:
    """An error text understood.

    ``subject`` is what the text speaks of, as far as it names it (``Encoder.__init__``, ``engine.text``),
    ``names`` are the parts concerned (a keyword, an attribute, abstract methods). ``note`` says in a few
    words what the kind means where nobody can be blamed; ``of_module`` says that a module lacks an attribute.
    """

    kind: str
    nature: Nature
    subject: str = ""
    names: tuple[str, ...] = ()
    note: str = ""
    of_module: bool = False


@dataclass(frozen=True, slots=True)
class Failure:
    """Equal exceptions folded into one: what was raised, how often, in which processes and tests.

    ``symptom`` is None for an error that no kind knows. ``chain`` are the exceptions printed together with
    it, itself included. ``follows`` is the text of the failure that led to this one, None for a cause.
    """

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
        return described(self.error)


def described(error: Raised) -> str:
    """An exception as Python prints it: type and message."""
    return ": ".join(part for part in (error.type, error.message) if part)
