"""What a failure is traced back to."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from syncbot.impact.model import Fix, Impact, Location
from syncbot.triage.folded_failures import Reading
from syncbot.triage.model import Failure
from syncbot.upstream.model import Commit


class Origin(StrEnum):
    """Whose doing a failure is.

    ``upstream``: commits of the range are named. ``environment``: machine, network, files or other
    programs. ``backend``: only the backend's own code took part, and no change of the range touches it.
    ``unknown``: nothing in the range explains it.
    """

    UPSTREAM = "upstream"
    ENVIRONMENT = "environment"
    BACKEND = "backend"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Clue:
    """One reason to suspect a commit, and how strongly it speaks (between 0 and 1).

    ``source`` tells where it comes from: ``impact``, ``symbol``, ``text`` or ``lines``.
    """

    commit: str
    strength: float
    reason: str
    source: str
    impact: Impact | None = None


@dataclass(frozen=True, slots=True)
class Guilty:
    """A suspected commit: how strongly, and why; what it means for the backend, as far as that is known.

    ``fix`` is the rewrite that mends it, ``patch`` the id of a patch that is there already.
    """

    commit: Commit
    strength: float
    reasons: tuple[str, ...]
    impacts: tuple[Impact, ...] = ()
    fix: Fix | None = None
    patch: str | None = None


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """One cause among the failures: whose doing, the suspected commits, strongest first, and the
    backend's place where it shows. ``note`` says why nobody is blamed."""

    failure: Failure
    origin: Origin
    guilty: tuple[Guilty, ...] = ()
    place: Location | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Triage:
    """All that logs and a range tell. ``old`` and ``new`` are its ends as the reader knows them, empty
    where no range was looked at; ``commits`` is how many it has."""

    reading: Reading
    diagnoses: tuple[Diagnosis, ...]
    upstream: str = ""
    old: str = ""
    new: str = ""
    commits: int = 0
    web: str | None = None
