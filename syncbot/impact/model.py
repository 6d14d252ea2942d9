"""The result of an analysis: impacts, and the report that carries them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from syncbot.contracts.changes import NOTHING_MORE, AnyDetails, ChangeKind, require_family
from syncbot.contracts.grounds import Ground
from syncbot.contracts.model import Location, Verdict

__all__ = ["Fix", "Impact", "Location", "Verdict"]


@dataclass(frozen=True, slots=True)
class Fix:
    """A rewrite that would mend an impact: the rule's name and its arguments, as a patch file has them.

    ``also`` are the further rewrites that belong to it, ``notes`` what they leave to an author. ``proven``
    says that the judges were asked again about the rewritten sources.
    """

    rule: str
    arguments: Mapping[str, object]
    also: tuple[Fix, ...] = ()
    notes: tuple[str, ...] = ()
    proven: bool = False


@dataclass(frozen=True, slots=True)
class Impact:
    """One API change that meets contracts of the backend.

    ``symbol`` is the upstream dotted name, ``commit`` the sha of the guilty upstream commit, ``engines`` who
    found it, ``confidence`` the probability that it is right, ``ground`` what it was judged by first.
    ``upstream_hunk`` shows the upstream change. ``contract`` is the kind of contract that the change meets,
    empty where a type checker found it; ``classes`` are the backend's classes whose overrides it meets.
    ``no_fix`` says why nothing mends it, where that was asked.
    """

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

    def __post_init__(self) -> None:
        require_family(self.kind, self.details)


def by_commit(impacts: Iterable[Impact]) -> dict[str, list[Impact]]:
    """The impacts by the sha of their commit, in their order."""
    found: dict[str, list[Impact]] = {}
    for impact in impacts:
        found.setdefault(impact.commit, []).append(impact)
    return found
