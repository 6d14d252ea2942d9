"""Where along a line of commits an outcome changes, by probability; position -1 is before the first."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import accumulate


class Verdict(StrEnum):
    """The verdict of one run about a commit, in git's words."""

    GOOD = "good"
    BAD = "bad"
    SKIP = "skip"


@dataclass(frozen=True, slots=True)
class Outcome:
    """A verdict, and what tells one failure from another (empty where it is good)."""

    verdict: Verdict
    mark: str = ""


Probe = Callable[[int], Outcome]


@dataclass(frozen=True, slots=True)
class Switch:
    """The outcome changes after ``before``, at one of ``candidates``: several where some were skipped."""

    before: int
    candidates: tuple[int, ...]
    old: Outcome
    new: Outcome

    @property
    def breaks(self) -> bool:
        """Whether it is a change for the worse: to a failure, or to another one."""
        return self.new.verdict is Verdict.BAD

    @property
    def last(self) -> int:
        """The position from which on the new outcome is known to hold."""
        return self.candidates[-1]


class NoSwitch(Exception):
    """The ends of the range are not what the caller took them for; ``position`` is the one that is not."""

    def __init__(self, position: int, outcome: Outcome) -> None:
        super().__init__(position, outcome)
        self.position = position
        self.outcome = outcome


def first_bad(weights: Sequence[float], probe: Probe) -> Switch:
    """A commit at which good turns to bad; a skipped end is trusted. Raises NoSwitch for a wrong end."""
    old = Outcome(Verdict.GOOD)
    low, high, new = _narrow(weights, probe, -1, len(weights) - 1, old)
    if high == len(weights) - 1 and new is None:
        new = probe(high)
        if new.verdict is Verdict.GOOD:
            raise NoSwitch(high, new)
    if low == -1:
        old = probe(-1)
        if old.verdict is Verdict.BAD:
            raise NoSwitch(-1, old)
    return Switch(low, tuple(range(low + 1, high + 1)), old, new or Outcome(Verdict.BAD))


def all_switches(weights: Sequence[float], probe: Probe, suspects: Sequence[int]) -> list[Switch]:
    """Every change of outcome; between two equal ones only ``suspects`` are run. Raises NoSwitch for a
    skipped end, or where nothing is bad."""
    last = len(weights) - 1
    ends = {-1: probe(-1), last: probe(last)}
    for position, outcome in ends.items():
        if outcome.verdict is Verdict.SKIP or (position == -1 and outcome.verdict is Verdict.BAD):
            raise NoSwitch(position, outcome)
    every = _switches(weights, probe, suspects, (-1, ends[-1]), (last, ends[last]))
    found = sorted(every, key=lambda switch: switch.before)
    if not found:
        raise NoSwitch(last, ends[last])
    return found


def _switches(
    weights: Sequence[float],
    probe: Probe,
    suspects: Sequence[int],
    left: tuple[int, Outcome],
    right: tuple[int, Outcome],
) -> Iterator[Switch]:
    low, high = left[0], right[0]
    if left[1] == right[1]:
        for suspect in (suspect for suspect in suspects if low < suspect < high):
            seen = probe(suspect)
            if seen.verdict is not Verdict.SKIP and seen != left[1]:
                yield from _switches(weights, probe, suspects, left, (suspect, seen))
                yield from _switches(weights, probe, suspects, (suspect, seen), right)
                return
        return
    before, at, new = _narrow(weights, probe, low, high, left[1])
    here = (at, new or right[1])
    yield from _switches(weights, probe, suspects, left, (before, left[1]))
    yield Switch(before, tuple(range(before + 1, at + 1)), left[1], here[1])
    yield from _switches(weights, probe, suspects, here, right)


def _narrow(
    weights: Sequence[float], probe: Probe, low: int, high: int, same: Outcome
) -> tuple[int, int, Outcome | None]:
    """The narrowest ``low`` and ``high`` that runs can tell, and the outcome at ``high`` if it was run."""
    skipped: set[int] = set()
    new: Outcome | None = None
    while (position := _next(weights, low, high, skipped)) is not None:
        seen = probe(position)
        if seen.verdict is Verdict.SKIP:
            skipped.add(position)
        elif seen == same:
            low = position
        else:
            high, new = position, seen
    return low, high, new


def _next(weights: Sequence[float], low: int, high: int, skipped: set[int]) -> int | None:
    """The commit that halves the probability; of two as good, the more suspicious one."""
    open_ = [position for position in range(low + 1, high) if position not in skipped]
    if not open_:
        return None
    sums = list(accumulate(weights[low + 1 : high + 1]))
    total = sums[-1]

    def rank(position: int) -> tuple[float, float, float]:
        until = sums[position - low - 1]
        imbalance = round(abs(2 * until - total) / total, 9) if total else 0.0
        return (imbalance, -weights[position], abs(2 * position - low - high))

    return min(open_, key=rank)


def halving_runs(count: int, answer: int) -> int:
    """How many runs plain halving of ``count`` commits needs until it knows that ``answer`` is the one."""
    low, high, runs = -1, count - 1, 0
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if middle >= answer else (middle, high)
        runs += 1
    return runs
