"""The result of an analysis: impacts, and the report that carries them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from syncbot.contracts.changes import NOTHING_MORE, AnyDetails, ChangeKind, require_family
from syncbot.contracts.grounds import Ground
from syncbot.contracts.model import Location, Verdict
from syncbot.impact.runs import Evidenced, RunFailure

__all__ = ["Ended", "EngineState", "Fix", "Impact", "Location", "Outcome", "Testimony", "Verdict"]


@dataclass(frozen=True, slots=True)
class Fix:
    """A rewrite that would mend an impact: rule and arguments, as in a patch file. ``also`` are rewrites that
    belong to it, ``notes`` what it leaves to an author; ``proven``: the judges accept the result."""

    rule: str
    arguments: Mapping[str, object]
    also: tuple[Fix, ...] = ()
    notes: tuple[str, ...] = ()
    proven: bool = False


class Ended(StrEnum):
    """How the work of an engine ended."""

    FINISHED = "finished"
    INCOMPLETE = "incomplete"
    NOT_INSTALLED = "not-installed"


@dataclass(frozen=True, slots=True)
class EngineState:
    """The state of an engine: its name, how its work ended, and the reason where it did not finish."""

    name: str
    state: Ended
    reason: str = ""


class Outcome(StrEnum):
    """The result for an impact of running a witness on both sides of a change."""

    WITNESSED = "witnessed"
    CONTRADICTED = "contradicted"
    NOT_WITNESSABLE = "not-witnessable"


@dataclass(frozen=True, slots=True)
class Testimony:
    """The result of an impact's witness: the outcome, the reason, the program (empty if missing), and the
    seconds that its two runs took."""

    outcome: Outcome
    why: str
    program: str = ""
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Impact:
    """One API change that meets contracts of the backend. ``symbol`` is the upstream dotted name, ``commit``
    the guilty sha, ``engines`` who found it, ``confidence`` the probability that it is right, ``ground`` what
    it was judged by first, ``checks`` the contract engine's that made it. ``upstream_hunk`` shows the change;
    ``contract`` is the kind of contract, empty from a type checker; ``classes`` are the backend's whose
    overrides it meets; ``no_fix`` says why nothing mends it; ``testimony`` what a witness showed, None where
    none was run; ``evidence`` whether reading or running shows it, and ``runs`` what failed there."""

    id: str
    commit: str
    pr: int | None
    symbol: str
    kind: ChangeKind
    verdict: Verdict
    locations: tuple[Location, ...]
    message: str
    fix: Fix | None = None
    no_fix: str = ""
    engines: tuple[str, ...] = ("contracts",)
    confidence: float = 1.0
    tests_only: bool = False
    upstream_hunk: str = ""
    details: AnyDetails = NOTHING_MORE
    contract: str = ""
    classes: tuple[str, ...] = ()
    ground: Ground | None = None
    testimony: Testimony | None = None
    evidence: Evidenced = Evidenced.READ
    runs: tuple[RunFailure, ...] = ()
    checks: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        require_family(self.kind, self.details)


def by_commit(impacts: Iterable[Impact]) -> dict[str, list[Impact]]:
    """The impacts by the sha of their commit, in their order."""
    found: dict[str, list[Impact]] = {}
    for impact in impacts:
        found.setdefault(impact.commit, []).append(impact)
    return found
