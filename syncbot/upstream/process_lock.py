"""A lock between processes; a child of its holder keeps it for as long as the child works."""

from __future__ import annotations

import fcntl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from syncbot.errors import EnvironmentFailure
from syncbot.upstream.model import Meter, no_meter

PATIENCE = 1800.0


@contextmanager
def held(path: Path, meter: Meter = no_meter, patience: float = PATIENCE) -> Iterator[int]:
    """Hold the exclusive lock on ``path``; the value is its file descriptor. A child that gets it
    (``pass_fds``) keeps the lock if this process is killed, which `filelock` does not promise. Raises
    EnvironmentFailure after ``patience`` seconds."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as file:
        give_up = time.monotonic() + patience
        waited = 0
        while not _taken(file.fileno()):
            if time.monotonic() >= give_up:
                raise EnvironmentFailure(
                    f"another syncbot holds {path} for more than {patience:.0f} s: end it, then try again"
                )
            waited += 1
            meter("waiting for another syncbot", waited, None)
            time.sleep(0.1)
        yield file.fileno()


def _taken(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
