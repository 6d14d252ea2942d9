"""A plan of steps: the meaning of each commit, and the edits and remaining work of each step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from syncbot.impact.model import Impact
from syncbot.upstream.model import Commit


class Standing(StrEnum):
    """The meaning of a commit for the backend. ``harmless`` is proven, ``unsaid`` is neither."""

    BREAKS = "breaks"
    AT_RISK = "at-risk"
    DRIFT = "drift"
    HARMLESS = "harmless"
    UNSAID = "unsaid"


@dataclass(frozen=True, slots=True)
class JudgedCommit:
    """A commit, what it means, and its impacts. ``modules`` are the upstream modules that it changes,
    ``met`` those of them that a contract is about: none where it is harmless. ``lines`` of code changed."""

    commit: Commit
    standing: Standing
    impacts: tuple[Impact, ...]
    modules: tuple[str, ...]
    met: tuple[str, ...]
    lines: int


@dataclass(frozen=True, slots=True)
class Step:
    """Commits after ``old`` up to ``new``, oldest first; ``lines`` are those of commits that are not proven
    harmless. ``diff`` has the edits that belong to the step, made on the result of the steps before."""

    number: int
    old: str
    new: str
    commits: tuple[JudgedCommit, ...]
    lines: int
    diff: str = ""

    @property
    def impacts(self) -> tuple[Impact, ...]:
        """The impacts of its commits."""
        return tuple(impact for each in self.commits for impact in each.impacts)


@dataclass(frozen=True, slots=True)
class StepPlan:
    """The steps from ``old`` to ``new``; ``contracts`` is how many were judged. ``mended`` are the ids of
    the impacts that the steps' edits mend; ``reasons`` says why others are left, by id. ``releases`` are the
    names of releases by the commits that stand for them."""

    upstream: str
    old: str
    new: str
    contracts: int
    steps: tuple[Step, ...]
    mended: frozenset[str]
    reasons: tuple[tuple[str, str], ...]
    releases: Mapping[str, str] = field(default_factory=dict)

    def named(self, commit: str) -> str:
        """A commit as a reader knows it: the release, else the short sha."""
        return self.releases.get(commit, commit[:10])

    @property
    def commits(self) -> tuple[JudgedCommit, ...]:
        """All commits, oldest first."""
        return tuple(each for step in self.steps for each in step.commits)

    @property
    def left(self) -> tuple[Impact, ...]:
        """The impacts that an author has to see to: those that break and have no edit."""
        every = (impact for step in self.steps for impact in step.impacts)
        return tuple(i for i in every if i.verdict.value == Standing.BREAKS and i.id not in self.mended)
