"""The three-way merge of rows. Changes of the two sides that overlap are a conflict, and so are two that
touch if one of them only adds, since their order is unknown. Two replacements beside each other are none."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import TypeAlias

#: What is compared: the depth of a statement, and what it says.
Key: TypeAlias = tuple[int, str]


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """Rows ``start`` to ``end`` of the base became rows ``first`` to ``last`` of a side."""

    start: int
    end: int
    first: int
    last: int

    def meets(self, other: Edit) -> bool:
        """Whether both cannot be made without a decision."""
        if self.start == self.end or other.start == other.end:
            return self.start <= other.end and other.start <= self.end
        return self.start < other.end and other.start < self.end


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch of the base and what both sides have there, as slices. ``by_us`` and ``by_them`` tell who
    changed it."""

    base: slice
    ours: slice
    theirs: slice
    by_us: bool = False
    by_them: bool = False


def stretches(base: Sequence[Key], ours: Sequence[Key], theirs: Sequence[Key]) -> Iterator[Stretch]:
    """Yield the stretches that together are all three sequences, in order."""
    sides = (_edits(base, ours), _edits(base, theirs))
    # Where each side stands: the row of the base, and how far its own rows are ahead of that.
    at, ahead = 0, [0, 0]
    for start, end, mine, other in _clusters(*sides):
        yield _stretch(at, start, ahead, ahead)
        before = list(ahead)
        for side, edits in enumerate((mine, other)):
            ahead[side] += sum((e.last - e.first) - (e.end - e.start) for e in edits)
        yield replace(_stretch(start, end, before, ahead), by_us=bool(mine), by_them=bool(other))
        at = end
    yield _stretch(at, len(base), ahead, ahead)


def _stretch(start: int, end: int, before: Sequence[int], after: Sequence[int]) -> Stretch:
    ours, theirs = (slice(start + b, end + a) for b, a in zip(before, after, strict=True))
    return Stretch(slice(start, end), ours, theirs)


def _clusters(
    ours: Sequence[Edit], theirs: Sequence[Edit]
) -> Iterator[tuple[int, int, list[Edit], list[Edit]]]:
    """The edits that meet, directly or through others, with the rows of the base that they span."""
    waiting = sorted([(edit, 0) for edit in ours] + [(edit, 1) for edit in theirs])
    while waiting:
        first, side = waiting.pop(0)
        mine: list[Edit] = []
        other: list[Edit] = []
        found = (mine, other)
        found[side].append(first)
        span = first
        while waiting and _joins(waiting[0], found):
            edit, side = waiting.pop(0)
            found[side].append(edit)
            span = replace(span, end=max(span.end, edit.end))
        yield span.start, span.end, mine, other


def _joins(candidate: tuple[Edit, int], found: Sequence[Sequence[Edit]]) -> bool:
    edit, side = candidate
    return any(edit.meets(other) for other in found[1 - side])


def _edits(base: Sequence[Key], side: Sequence[Key]) -> list[Edit]:
    """Where a side differs from the base."""
    if base == side:
        return []
    matcher = SequenceMatcher(None, base, side, autojunk=False)
    plain = [Edit(*codes) for tag, *codes in matcher.get_opcodes() if tag != "equal"]
    return [
        _whole(edit, base, side, plain[at + 1] if at + 1 < len(plain) else None)
        for at, edit in enumerate(plain)
    ]


def _whole(edit: Edit, base: Sequence[Key], side: Sequence[Key], following: Edit | None) -> Edit:
    """An edit that only adds or only takes away, moved to where that is whole statements: of several places
    that give the same rows, the one that begins least deep; of those the last (as git's indent heuristic)."""
    if edit.start != edit.end and edit.first != edit.last:
        return edit
    best, end = edit, following.start if following is not None else len(base)
    rows, at = (side, edit.first) if edit.start == edit.end else (base, edit.start)
    length = max(edit.last - edit.first, edit.end - edit.start)
    moved = edit
    while moved.end < end and rows[at] == rows[at + length]:
        moved = Edit(moved.start + 1, moved.end + 1, moved.first + 1, moved.last + 1)
        at += 1
        if rows[at][0] <= (side[best.first] if rows is side else base[best.start])[0]:
            best = moved
    return best
