"""Cut a range into steps that a person can take one at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from syncbot.steps.model import JudgedCommit, Standing, Step


@dataclass(frozen=True)
class StepBounds:
    """At most so many changed lines of commits that are not proven harmless in a step, and so many such
    commits. One commit with more lines is a step of its own."""

    lines: int = 1000
    commits: int = 20


def cut(old: str, commits: Sequence[JudgedCommit], bounds: StepBounds) -> list[Step]:
    """The steps of a range after ``old``; each commit, oldest first, is in exactly one. A commit that is
    proven harmless takes no room: it goes with the step before it."""
    groups: list[list[JudgedCommit]] = []
    room = (0, 0)
    for each in commits:
        weight = (0, 0) if each.standing is Standing.HARMLESS else (each.lines, 1)
        full = room[0] + weight[0] > bounds.lines or room[1] + weight[1] > bounds.commits
        if not groups or (weight[1] and room[1] and full):
            groups.append([])
            room = (0, 0)
        groups[-1].append(each)
        room = (room[0] + weight[0], room[1] + weight[1])
    return _steps(old, groups)


def _steps(old: str, groups: Sequence[Sequence[JudgedCommit]]) -> list[Step]:
    steps = []
    for number, group in enumerate(groups, 1):
        new = group[-1].commit.sha
        lines = sum(each.lines for each in group if each.standing is not Standing.HARMLESS)
        steps.append(Step(number, old, new, tuple(group), lines))
        old = new
    return steps
