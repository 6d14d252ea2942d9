"""Which lanes are renewed first, by whom, and until when."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from syncbot.errors import UsageError
from syncbot.lanes.dependence import Present
from syncbot.lanes.matrix import Lane, Matrix
from syncbot.verify.executors import Progress, Run
from syncbot.verify.job import Done, Job

_Lane = TypeVar("_Lane", bound=Lane)


@dataclass(frozen=True, slots=True)
class Shard:
    """The part ``number`` (from 1) of ``of`` parts, in which the lanes are shared out."""

    number: int
    of: int

    def share(self, lanes: Iterable[_Lane]) -> list[_Lane]:
        """The lanes of this part: neighbours are in different ones, since new lanes cost most."""
        return sorted(lanes, key=lambda lane: lane.version, reverse=True)[self.number - 1 :: self.of]


def shard(text: str) -> Shard:
    """Return what ``2/6`` says. Raises UsageError."""
    found = re.fullmatch(r"(\d+)/(\d+)", text)
    if found is None or not 1 <= int(found[1]) <= int(found[2]):
        raise UsageError(f"{text!r} is no part of the lanes: write 2/6 for the second of six")
    return Shard(int(found[1]), int(found[2]))


@dataclass(slots=True)
class Budget:
    """Seconds on the clock, from now on. What is begun is done to its end: nothing begins that would not be
    done in time if it took as long as the longest before it."""

    seconds: float
    clock: Callable[[], float] = time.monotonic
    _begun: float = field(init=False)
    _longest: float = field(init=False, default=0.0)

    def __post_init__(self) -> None:
        self._begun = self.clock()

    @property
    def has_room(self) -> bool:
        """Whether one more may begin."""
        return self.clock() - self._begun + self._longest < self.seconds

    @contextmanager
    def measured(self) -> Iterator[None]:
        """Measure the work inside this context as one step."""
        begun = self.clock()
        yield
        self._longest = max(self._longest, self.clock() - begun)

    def within(self, run: Run) -> Run:
        """An executor that does of its jobs what the budget has room for."""

        def limited(
            jobs: Sequence[Job], cache: Path, memory: int, progress: Progress
        ) -> Iterator[tuple[Job, Done]]:
            done = run(jobs, cache, memory, progress) if jobs and self.has_room else iter(())
            while self.has_room:
                try:
                    with self.measured():
                        said = next(done)
                except StopIteration:
                    return
                yield said

        return limited


def by_need(lanes: Sequence[_Lane], wanted: Sequence[str]) -> list[_Lane]:
    """The lanes in the order in which they are renewed: the newest, the oldest, then those whose evidence is
    oldest, a missing one before all."""
    by_version = sorted(lanes, key=lambda lane: lane.version, reverse=True)
    ends = [*by_version[:1], *by_version[1:][-1:]]
    between = [lane for lane in by_version if lane not in ends]
    return [*ends, *sorted(between, key=lambda lane: _oldest(lane, wanted))]


def _oldest(lane: Lane, wanted: Sequence[str]) -> str:
    """The moment of the oldest evidence that is not refused, empty where there is none."""
    asked = [name for name in wanted if lane.shown(name) != "unsupported"]
    known = [lane.checks[name].date if name in lane.checks else None for name in asked]
    return min((moment or "" for moment in known), default="~")


def out_of_date(matrix: Matrix, lane: Lane, present: Present, wanted: Sequence[str]) -> list[str]:
    """The checks that a lane claims and of which nothing is known as it is at ``present``."""
    now = lane.marked(present)
    return [name for name in wanted if matrix.claims(lane, name) and now.shown(name) in ("stale", "unknown")]
