"""Calls that hand the rest of their arguments on: what they name themselves is bound anew all the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.planning.test_plan import migrated, text

MINE = """\
from up.base import Base


class Mine(Base):
    def __init__(self, size, {taken}):
        super().__init__({passed})
"""
GONE = (("(self, size, pin)", "(self, size)"),)


@pytest.mark.parametrize(
    ("taken", "passed", "after"),
    [
        ("**rest", "size, pin=2, **rest", "size, **rest"),
        ("**rest", "size=size, pin=2, **rest", "size=size, **rest"),
        ("*more, **rest", "*more, pin=2, **rest", "*more, **rest"),
    ],
)
def test_an_argument_that_is_gone_is_left_out_before_the_rest(
    tmp_path: Path, taken: str, passed: str, after: str
) -> None:
    done = migrated(tmp_path, MINE.format(taken=taken, passed=passed), *GONE)
    assert f"super().__init__({after})" in text(done)
    assert not done.unwritten


@pytest.mark.parametrize(
    ("passed", "after"), [("size, 2, **rest", "size, **rest"), ("*more, pin=2", "*more")]
)
def test_what_stands_by_place_stays(tmp_path: Path, passed: str, after: str) -> None:
    done = migrated(tmp_path, MINE.format(taken="*more, **rest", passed=passed), *GONE)
    assert not done.unwritten
    assert f"super().__init__({after})" in text(done)


def test_a_star_whose_places_mean_something_else_needs_an_author(tmp_path: Path) -> None:
    changes = (("(self, size, pin)", "(self, width, size)"), ("class Base:", "class Base:  # two"))
    done = migrated(tmp_path, MINE.format(taken="*more, **rest", passed="*more, pin=2, **rest"), *changes)
    assert text(done) == ""
    assert "the value may have to go into width now" in done.unwritten[0].why
