"""Signatures with many parameters: what is called to judge them grows as they do."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType

import pytest

from tests.contracts.world import findings

UPSTREAM = """
class B:
    def f(self, {0}): ...
    def h(self):
        self.f({1})
def g({0}): ...
"""
CALLS = "from lib.a import B, g\ng({1})\nB().f({1})\n"
OVERRIDES = "from lib.a import B\nclass C(B):\n    def f(self, {0}):\n        return super().f({1})\n"


def renamed(name: str) -> Callable[[int], tuple[str, str]]:
    def words(count: int) -> tuple[str, str]:
        names = [f"{name}{n}" for n in range(count)]
        return ", ".join(names), ", ".join(f"{n}=0" for n in names)

    return words


def nothing(count: int) -> tuple[str, str]:
    return "", ""


def calls(count: int, after: Callable[[int], tuple[str, str]], backend: str) -> tuple[int, int]:
    """How many functions and generators are entered, and how many findings there are."""
    before, later = (UPSTREAM.format(*words(count)) for words in (renamed("p"), after))
    own = backend.format(*renamed("p")(count))
    entered = 0

    def note(frame: FrameType, event: str, argument: object) -> None:
        nonlocal entered
        entered += event == "call"

    findings(before, later, own)  # what is imported and remembered once is no part of it
    sys.setprofile(note)
    try:
        found = findings(before, later, own)
    finally:
        sys.setprofile(None)
    return entered, len(found)


@pytest.mark.parametrize(
    ("after", "backend", "each"),
    [(renamed("q"), CALLS, 4), (nothing, CALLS, 2), (renamed("q"), OVERRIDES, 3)],
    ids=["renamed", "dropped", "overridden"],
)
def test_twice_the_parameters_are_twice_the_work(
    after: Callable[[int], tuple[str, str]], backend: str, each: int
) -> None:
    few, found = calls(60, after, backend)
    many, more = calls(120, after, backend)
    assert (found, more) == (60 * each, 120 * each)
    assert many < 2.3 * few
