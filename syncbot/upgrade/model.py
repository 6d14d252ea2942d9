"""The effects of an upgrade on the names that a project uses, and on the packages installed beside it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from syncbot.contracts.model import Location


class Topic(StrEnum):
    """The topic of a notice: behaviour that may change, or an addition that a project can do without."""

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
    """How a name changed between the ends."""

    SAME = "same"
    SAME_SIGNATURE = "same-signature"
    CHANGED = "changed"
    GONE = "gone"


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """A difference of an upstream ``symbol`` that no line need break by. ``what`` is ``body``, ``returns``,
    ``caller``, ``default``, ``parameter``, ``field``, ``method`` or ``left-open`` (a method that only
    raises); ``subject`` is the parameter, field or method; ``before`` and ``after`` are source text, or
    functions that call. ``commits`` are the shas that made it, oldest first."""

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
    """A requirement, version of Python or entry point of upstream that changed: ``what`` is ``requirement``,
    ``python`` or ``entry-point``; an empty ``before`` or ``after`` means that there is none. ``ours`` is the
    project's own requirement of the same, ``conflict``: no version meets both at the newer end."""

    what: str
    name: str
    before: str
    after: str
    ours: str = ""
    conflict: bool = False
    commits: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Upgrade:
    """The notices of an upgrade, the changed dependencies, and ``names``: the upstream definitions that the
    project uses, each with its likeness, in alphabetical order."""

    notices: tuple[Notice, ...] = ()
    dependencies: tuple[Dependency, ...] = ()
    names: tuple[tuple[str, Likeness], ...] = ()

    def about(self, topic: Topic) -> tuple[Notice, ...]:
        """The notices about one topic, in their order."""
        return tuple(notice for notice in self.notices if notice.topic is topic)

    def named(self, likeness: Likeness) -> tuple[str, ...]:
        """The names of which the same became."""
        return tuple(name for name, became in self.names if became is likeness)
