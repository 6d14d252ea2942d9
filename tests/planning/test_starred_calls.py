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
FILLED = "the call passes a dictionary that is written before it: mend what is put in there"
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


@pytest.mark.parametrize(
    "filled", ["given = dict(size=size, pin=2)", "given = {'size': size}; given['pin'] = 2"]
)
def test_a_dictionary_that_is_written_before_the_call_needs_an_author(tmp_path: Path, filled: str) -> None:
    mine = MINE.format(taken="**rest", passed="**given").replace(
        "        super()", f"        {filled}\n        super()"
    )
    done = migrated(tmp_path, mine, *GONE)
    assert text(done) == ""
    (left,) = done.unwritten
    assert left.why == FILLED


def test_two_classes_of_ours_are_two_things_to_mend(tmp_path: Path) -> None:
    head = "from dataclasses import dataclass\n"
    ours = "\n\n@dataclass\nclass {}(Base):\n    mine: int = 0\n"
    mine = (
        f"{head}from up.base import Base\n{ours.format('A')}{ours.format('B')}\n\ndef make(size):\n"
        "    given = {'size': size}\n    return A(size=size), B(**given), A(size)\n"
    )
    base = f"{head}\n\n@dataclass\nclass Base:\n    size: int\n"
    done = migrated(tmp_path, mine, ("    size: int\n", "    size: int\n    pin: int\n"), base=base)
    assert [(left.impact.message, len(left.impact.locations), left.why) for left in done.unwritten] == [
        ("plugin.mine.A() now requires pin", 2, "it now requires pin, and nothing shows what to pass here"),
        ("plugin.mine.B() now requires pin", 1, FILLED),
    ]


def test_a_star_whose_places_mean_something_else_needs_an_author(tmp_path: Path) -> None:
    changes = (("(self, size, pin)", "(self, width, size)"), ("class Base:", "class Base:  # two"))
    done = migrated(tmp_path, MINE.format(taken="*more, **rest", passed="*more, pin=2, **rest"), *changes)
    assert text(done) == ""
    assert "the value may have to go into width now" in done.unwritten[0].why
