"""Progress for a log, which shows no bars: a line now and then of a run that takes long."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from syncbot.report.untrusted_text import one_line
from syncbot.upstream.model import Meter

EVERY = 30.0

#: Waits so many seconds; true where the run ended meanwhile.
Wait = Callable[[float], bool]
# What is counted in bytes is told in MB: no other step has as many parts.
_MANY, _MB = 1_000_000, 1_000_000


class Steps:
    """The progress of a run: its steps, how much of each is done, and of how much."""

    def __init__(self) -> None:
        self._steps: dict[str, tuple[int, int | None]] = {}
        self._lock = threading.Lock()

    def report(self, step: str, done: int, total: int | None) -> None:
        """Take note; what is done to its end is not told any more."""
        with self._lock:
            if total is not None and done >= total:
                self._steps.pop(step, None)
            else:
                self._steps[step] = (done, total)

    def line(self, seconds: float) -> str:
        """Every step that is under way, and how long the run took so far."""
        with self._lock:
            steps = [f"{one_line(name)}{_part(*each)}" for name, each in self._steps.items()]
        return f"syncbot: {', '.join(steps) or 'working'} ({seconds:.0f} s so far)"


def _part(done: int, total: int | None) -> str:
    if total is None:
        return ""
    if total >= _MANY:
        return f" {done // _MB} of {total // _MB} MB"
    return f" {done} of {total}"


@contextmanager
def progress_lines(
    write: Callable[[str], None],
    clock: Callable[[], float] = time.monotonic,
    wait: Wait | None = None,
    every: float = EVERY,
) -> Iterator[Meter]:
    """A meter of which ``write`` gets a line each ``every`` seconds, and none of what ends before; ``wait``
    is else until the block ends. It may be called from any thread."""
    steps, ended, began = Steps(), threading.Event(), clock()

    def tell() -> None:
        while not (wait or ended.wait)(every):
            write(steps.line(clock() - began))

    teller = threading.Thread(target=tell, daemon=True)
    teller.start()
    try:
        yield steps.report
    finally:
        ended.set()
        teller.join()
