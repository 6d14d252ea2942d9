"""The result of an analysis: impacts, and the report that carries them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from syncbot.contracts.model import Location, Verdict

__all__ = ["Fix", "Impact", "Location", "Verdict"]


@dataclass(frozen=True, slots=True)
class Fix:
    """A rewrite that would mend an impact: the rule's name and its arguments, as a patch file has them."""

    rule: str
    arguments: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Impact:
    """One API change that meets contracts of the backend.

    ``kind`` names the kind of API change (``parameter-removed``, ``module-moved`` …), ``symbol`` the
    upstream dotted name, ``commit`` the sha of the guilty upstream commit, ``engines`` who found it,
    ``confidence`` the probability that it is right. ``upstream_hunk`` shows the upstream change.
    """

    id: str
    commit: str
    pr: int | None
    symbol: str
    kind: str
    verdict: Verdict
    locations: tuple[Location, ...]
    message: str
    fix: Fix | None = None
    engines: tuple[str, ...] = ("contracts",)
    confidence: float = 1.0
    tests_only: bool = False
    upstream_hunk: str = ""
    details: Mapping[str, str] = field(default_factory=dict)
