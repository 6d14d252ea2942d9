"""The result of an analysis: impacts, and the report that carries them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class Verdict(StrEnum):
    """What an API change means for a contract, worst first.

    ``breaks``: would raise or silently do the wrong thing as the code stands. ``at-risk``: depends on a
    path or value that analysis cannot settle. ``drift``: a copied body is out of date. ``none``: looked
    at and harmless.
    """

    BREAKS = "breaks"
    AT_RISK = "at-risk"
    DRIFT = "drift"
    NONE = "none"


@dataclass(frozen=True, slots=True, order=True)
class Location:
    """A place in the backend: path relative to the backend's root, 1-based line, 1-based column."""

    file: str
    line: int
    column: int = 1


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
