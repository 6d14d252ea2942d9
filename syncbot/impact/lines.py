"""The commits of a range as lines of first parents, each merge with the lines that it brings in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from syncbot.upstream.model import Commit


@dataclass(frozen=True, slots=True)
class Line:
    """Commits by their places in a range, each the first parent of the next.

    ``via`` names for every commit that the line has, or brings in by merges, the one of the line itself by
    which it came: places only grow along a line. ``merged`` has the lines of each merge's other parents.
    """

    via: Mapping[int, int]
    merged: Mapping[int, tuple[Line, ...]] = field(default_factory=dict)


def line_of(commits: Sequence[Commit]) -> Line:
    """Return the line that ends at the newest of some commits, which stand with the oldest first.

    Commits that are out of reach from there (of a history that is cut by dates, or without parents) make
    it one line of all of them.
    """
    places = {commit.sha: place for place, commit in enumerate(commits)}
    every = set(places.values())
    line = _line(len(commits) - 1, every, commits, places) if commits else Line({})
    return line if len(line.via) == len(places) else Line({place: place for place in places.values()})


def _line(tip: int, among: set[int], commits: Sequence[Commit], places: Mapping[str, int]) -> Line:
    """The line that ends at a commit, made of commits that no other line has: those are taken away."""
    steps = []
    at: int | None = tip
    while at is not None and at in among:
        steps.append(at)
        parents = commits[at].parents
        at = places.get(parents[0]) if parents else None
    among.difference_update(steps)
    via: dict[int, int] = {}
    merged: dict[int, tuple[Line, ...]] = {}
    for step in reversed(steps):
        others = (places.get(parent) for parent in commits[step].parents[1:])
        lines = tuple(_line(o, among, commits, places) for o in others if o is not None and o in among)
        if lines:
            merged[step] = lines
            via.update((place, step) for line in lines for place in line.via)
        via[step] = step
    return Line(via, merged)
