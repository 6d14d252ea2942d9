"""The causes of failures: whose doing each is, the suspected commits, and how sure that is."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from syncbot.impact.model import Fix, Impact, Location
from syncbot.triage.folded_failures import Reading
from syncbot.triage.model import Failure
from syncbot.upstream.model import Commit

#: From these strengths on a suspicion is sure, likely, and a guess; what is weaker is not told.
SURE, LIKELY, GUESS = 0.85, 0.6, 0.4


class Origin(StrEnum):
    """Whose doing a failure is. ``too-old``: the upstream that ran lacks what a newer one has; ``backend``:
    only its own code took part, and nothing that it calls changed."""

    UPSTREAM = "upstream"
    TOO_OLD = "too-old"
    ENVIRONMENT = "environment"
    BACKEND = "backend"
    UNKNOWN = "unknown"


class Certainty(StrEnum):
    """How sure an answer is."""

    SURE = "sure"
    LIKELY = "likely"
    GUESS = "a guess"


@dataclass(frozen=True, slots=True)
class Clue:
    """A reason to suspect a commit, how strong it is (0 to 1), and its source: impact, symbol or lines."""

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
    """One cause: whose doing it is, the suspects (of a too old upstream: the commits that brought what it
    lacks), and our place. ``note`` says what happened where nobody is blamed, and ``act`` what to do then.
    ``mend`` is the rewrite of just that place; ``release`` the first version that has what is lacking."""

    failure: Failure
    origin: Origin
    guilty: tuple[Guilty, ...] = ()
    place: Location | None = None
    note: str = ""
    act: str = ""
    mend: Fix | None = None
    release: str | None = None
    sure: bool = False

    @property
    def certainty(self) -> Certainty | None:
        """How sure the answer is; None where there is none."""
        if self.guilty:
            strength = self.guilty[0].strength
            if strength >= SURE:
                return Certainty.SURE
            return Certainty.LIKELY if strength >= LIKELY else Certainty.GUESS
        if self.origin is Origin.UNKNOWN:
            return None
        return Certainty.SURE if self.sure else Certainty.LIKELY


@dataclass(frozen=True, slots=True)
class Triage:
    """All that logs and a range tell; ``old`` and ``new`` are the range's ends for the reader, the older
    first, empty without a range; what ran is the newer one unless it ``is_reversed``. ``kind`` is the
    upstream's; ``remarks`` say what could not be looked at."""

    reading: Reading
    diagnoses: tuple[Diagnosis, ...]
    upstream: str = ""
    old: str = ""
    new: str = ""
    commits: int = 0
    web: str | None = None
    is_reversed: bool = False
    kind: Literal["git", "release"] = "git"
    remarks: tuple[str, ...] = ()
