"""The commits of a range as lines of first parents, each merge with the lines that it brings in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from syncbot.upstream.model import Commit


@dataclass(frozen=True, slots=True)
class Lines:
    """Commits by their places in a range. A line is a row of commits, each the next one's first parent.
    ``homes`` has each commit's line, ``merges`` the merge that brings in each line (None for the main line,
    0), ``merged`` the lines of a merge's other parents. Places only grow along a line."""

    homes: Sequence[int]
    merges: Sequence[int | None]
    merged: Mapping[int, tuple[int, ...]]

    def steps(self, places: Iterable[int]) -> dict[int, set[int]]:
        """Return for each line the commits on it that some commits are, or came by."""
        found: dict[int, set[int]] = {}
        for place in places:
            at: int | None = place
            while at is not None:
                known = found.setdefault(self.homes[at], set())
                if at in known:
                    break
                known.add(at)
                at = self.merges[self.homes[at]]
        return found


def lines_of(commits: Sequence[Commit]) -> Lines:
    """Return the lines of commits (oldest first); the main one ends at the newest. Where some are out of
    reach from there, all are one line."""
    places = {commit.sha: place for place, commit in enumerate(commits)}
    homes = [-1] * len(commits)
    merges: list[int | None] = []
    merged: dict[int, tuple[int, ...]] = {}
    # The ends of lines, the next one last: a line's older merges come first, and all that each brings in.
    waiting: list[tuple[int, int | None]] = [(len(commits) - 1, None)] if commits else []
    while waiting:
        end, merge = waiting.pop()
        if homes[end] >= 0:
            continue
        line = len(merges)
        merges.append(merge)
        if merge is not None:
            merged[merge] = (*merged.get(merge, ()), line)
        at: int | None = end
        while at is not None and homes[at] < 0:
            homes[at] = line
            parents = [places.get(parent) for parent in commits[at].parents]
            waiting += [(parent, at) for parent in reversed(parents[1:]) if parent is not None]
            at = parents[0] if parents else None
    if -1 in homes:
        return Lines([0] * len(commits), [None], {})
    return Lines(homes, merges, merged)
