"""How much time a plan may take: a check answers soon, and leaves what takes long to a migration."""

from __future__ import annotations

import time
from collections.abc import Callable

#: What is said of impacts for which a budget did not last.
NO_TIME = "this takes longer than a check may: run syncbot migrate"


class OutOfTime(Exception):
    """The time of a plan is over."""


class Budget:
    """Seconds by a clock, by default of this process's processor time; None is without end."""

    def __init__(self, seconds: float | None = None, clock: Callable[[], float] = time.process_time) -> None:
        self._clock = clock
        self._end = None if seconds is None else clock() + seconds

    def check(self) -> None:
        """Go on while there is time. Raises OutOfTime."""
        if self._end is not None and self._clock() > self._end:
            raise OutOfTime
