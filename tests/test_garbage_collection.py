"""Nothing looks for garbage while the collector rests, nor for all that was made then as it begins again."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator

import pytest

from syncbot.garbage_collection import resting


class Knot:
    """Something that refers to itself."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture(autouse=True)
def collecting() -> Iterator[None]:
    """A collector that works, and has no look at what this process made before."""
    worked, thresholds = gc.isenabled(), gc.get_threshold()
    gc.freeze()
    gc.set_threshold(700, 10, 10)
    gc.enable()
    yield
    gc.set_threshold(*thresholds)
    gc.unfreeze()
    if not worked:
        gc.disable()


def test_what_was_made_meanwhile_is_old_and_garbage_all_the_same() -> None:
    seen: list[tuple[str, int]] = []

    def note(phase: str, info: dict[str, int]) -> None:
        seen.append((phase, info["generation"]))

    gc.collect()
    gc.callbacks.append(note)
    try:
        with resting():
            knots = [Knot() for _ in range(gc.get_threshold()[0] * 3)]
            known = weakref.ref(knots[0])
            assert seen == []
        assert gc.isenabled()
        [[] for _ in range(10)]
        assert seen == []
    finally:
        gc.callbacks.remove(note)
    del knots
    gc.collect()
    assert known() is None


def test_a_collector_that_rested_before_rests_on() -> None:
    gc.disable()
    with resting():
        pass
    assert not gc.isenabled()
    gc.enable()
