"""What an upgrade brings for the names that a project uses, and for what is installed beside it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from syncbot.contracts.model import Location


class Topic(StrEnum):
    """What a notice is about: what may act otherwise, or what a project can do without."""

    BEHAVIOURAL = "behavioural"
    OPTIONAL = "optional"


class Way(StrEnum):
    """How a project relies on a name."""

    CALLED = "called"
    OVERRIDDEN = "overridden"
    COPIED = "copied"
    SUBCLASSED = "subclassed"
    READ = "read"


class Likeness(StrEnum):
    """What became of a name between the ends."""

    SAME = "same"
    SAME_SIGNATURE = "same-signature"
    CHANGED = "changed"
    GONE = "gone"


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """A difference of an upstream ``symbol`` that no line need break by. ``what`` is ``body``, ``returns``,
    ``default``, ``parameter``, ``field``, ``method`` or ``left-open`` (a method that only raises);
    ``subject`` is the parameter, field or method; ``before`` and ``after`` are source text. ``commits`` are
    the shas that made it, oldest first."""

    topic: Topic
    what: str
    symbol: str
    ways: tuple[Way, ...]
    places: tuple[Location, ...]
    subject: str = ""
    before: str = ""
    after: str = ""
    commits: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Dependency:
    """What installing upstream needs or gives otherwise: ``what`` is ``requirement``, ``python`` or
    ``entry-point``; an empty ``before`` or ``after`` says that there is none. ``ours`` is what the project
    itself asks for of the same, ``conflict``: no version meets both at the newer end."""

    what: str
    name: str
    before: str
    after: str
    ours: str = ""
    conflict: bool = False
    commits: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Upgrade:
    """What is to be told of an upgrade. ``names`` are the upstream definitions that the project uses, each
    with what became of it, in alphabetical order."""

    notices: tuple[Notice, ...] = ()
    dependencies: tuple[Dependency, ...] = ()
    names: tuple[tuple[str, Likeness], ...] = ()

    def about(self, topic: Topic) -> tuple[Notice, ...]:
        """The notices about one topic, in their order."""
        return tuple(notice for notice in self.notices if notice.topic is topic)

    def named(self, likeness: Likeness) -> tuple[str, ...]:
        """The names of which the same became."""
        return tuple(name for name, became in self.names if became is likeness)
