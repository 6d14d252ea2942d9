"""Python's cycle collector at rest, where looking for garbage costs more than the garbage."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


def swept() -> None:
    """Collect what is garbage by now, unless the collector rests already: while it does, that would stay."""
    if gc.isenabled():
        gc.collect()


@contextmanager
def resting() -> Iterator[None]:
    """Within this context nothing is collected that only refers to itself."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            # What was made meanwhile counts as old: else all of it is looked at as the next object is made.
            gc.freeze()
            gc.unfreeze()
            gc.enable()
