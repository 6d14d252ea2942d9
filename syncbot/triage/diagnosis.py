"""What a failure is traced back to."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from syncbot.impact.model import Fix, Impact, Location
from syncbot.triage.folded_failures import Reading
from syncbot.triage.model import Failure
from syncbot.upstream.model import Commit


class Origin(StrEnum):
    """Whose doing a failure is; ``backend``: only its own code took part, untouched by the range."""

    UPSTREAM = "upstream"
    ENVIRONMENT = "environment"
    BACKEND = "backend"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Clue:
    """A reason to suspect a commit, how strong it is (0 to 1), and its source: impact, symbol, text or
    lines."""

    commit: str
    strength: float
    reason: str
    source: str
    impact: Impact | None = None


@dataclass(frozen=True, slots=True)
class Guilty:
    """A suspected commit, how strongly and why, its impact on the backend, the rewrite, and a patch's id."""

    commit: Commit
    strength: float
    reasons: tuple[str, ...]
    impacts: tuple[Impact, ...] = ()
    fix: Fix | None = None
    patch: str | None = None


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """One cause: whose doing it is, the suspects, and our place. ``note`` says why nobody is blamed."""

    failure: Failure
    origin: Origin
    guilty: tuple[Guilty, ...] = ()
    place: Location | None = None
    note: str = ""


@dataclass(frozen=True, slots=True)
class Triage:
    """All that logs and a range tell; ``old`` and ``new`` are for the reader, empty without a range."""

    reading: Reading
    diagnoses: tuple[Diagnosis, ...]
    upstream: str = ""
    old: str = ""
    new: str = ""
    commits: int = 0
    web: str | None = None
