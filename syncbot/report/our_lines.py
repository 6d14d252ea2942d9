"""Impacts by the lines of ours that they are on: a reader looks at a line once, and mends it once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from syncbot.impact.model import Impact, Location


@dataclass(frozen=True, slots=True)
class OurLine:
    """A line of ours with all that happens to it: what a reader mends at once."""

    place: Location
    impacts: tuple[Impact, ...]


def by_line(impacts: Iterable[Impact]) -> tuple[OurLine, ...]:
    """Impacts by the line of ours that each names first, in the order of the first of each."""
    groups: dict[tuple[str, int], list[Impact]] = {}
    for impact in impacts:
        groups.setdefault((impact.locations[0].file, impact.locations[0].line), []).append(impact)
    return tuple(OurLine(group[0].locations[0], tuple(group)) for group in groups.values())
