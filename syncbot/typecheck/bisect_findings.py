"""Which commit of a range is guilty: hints first, then bisection. Positions count the range's changes, oldest
first; a case is absent before the first and present after the last."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TypeVar

C = TypeVar("C", bound=Hashable)

# Asks for several positions at once which of the given cases are present after each of them.
Probe = Callable[[Mapping[int, frozenset[C]]], Mapping[int, frozenset[C]]]


def attribute(length: int, hints: Mapping[C, Sequence[int]], probe: Probe[C]) -> dict[C, int]:
    """The guilty position of every case in ``hints`` (likely positions, best first). Each round asks both
    sides of every case's best hint; one that comes and goes has the last position where it comes to stay."""
    absent = dict.fromkeys(hints, -1)
    present = dict.fromkeys(hints, length - 1)
    while True:
        wanted: dict[int, set[C]] = {}
        for case, likely in hints.items():
            low, high = absent[case], present[case]
            if high - low > 1:
                for position in _sides(low, high, likely):
                    wanted.setdefault(position, set()).add(case)
        if not wanted:
            return present
        for position, asked in wanted.items():
            asked |= {case for case in hints if absent[case] < position < present[case]}
        answers = probe({position: frozenset(asked) for position, asked in sorted(wanted.items())})
        for position in sorted(wanted, reverse=True):
            for case in wanted[position]:
                if absent[case] < position < present[case]:
                    if case in answers[position]:
                        present[case] = position
                    else:
                        absent[case] = position


def _sides(low: int, high: int, likely: Sequence[int]) -> tuple[int, ...]:
    for position in likely:
        if low < position <= high:
            return tuple(p for p in (position - 1, position) if low < p < high)
    return ((low + high) // 2,)
