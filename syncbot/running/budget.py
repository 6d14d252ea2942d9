"""Files of tests, one after the other, until the processor time for them is used up."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol, TypeVar

from syncbot.upstream.model import Meter
from syncbot.verify.memory_bound_pool import room

#: What a process of tests may need.
_BYTES = 3 << 30


class Costing(Protocol):
    """A result that knows how many seconds of processor it took."""

    @property
    def seconds(self) -> float:
        """The seconds of processor."""


Result = TypeVar("Result", bound=Costing)


def within(
    files: Sequence[str], budget: float, run: Callable[[str], Result], name: str, meter: Meter
) -> Iterator[tuple[str, Result]]:
    """The files that a budget has room for, in their order, with their results; as many are run at once as
    there are processors and memory for. ``name`` says in the progress what is run."""
    many, spent = at_once(), 0.0
    with ThreadPoolExecutor(many) as pool:
        for first in range(0, len(files), many):
            meter(name, first, len(files))
            several = files[first : first + many]
            for file, done in zip(several, list(pool.map(run, several)), strict=True):
                if spent >= budget:
                    return
                spent += done.seconds
                yield file, done
            if spent >= budget:
                break
    meter(name, len(files), len(files))


def at_once() -> int:
    """How many processes of tests there are processors and memory for."""
    return min(len(os.sched_getaffinity(0)), room(_BYTES))
