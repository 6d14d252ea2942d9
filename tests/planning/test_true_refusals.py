"""The planner refuses only what cannot be rewritten: it finds classes and calls however they are written."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.planning.test_plan import migrated, text

UP = """\
from typing import Generic, TypeVar

T = TypeVar("T")


class Base(Generic[T]):
    old_name = 1

    def run(self, x, y=0):
        return self.old_name

    def go(self):
        return self.run(1, y=2)


class Part:
    def __init__(self, width, kind=1):
        self.width = width

    def run(self, a, b=0):
        return a

    @classmethod
    def make(cls, a, b=0):
        return cls(a)


class Owner:
    def __init__(self):
        self.part = Part(1)


def helper(x, flag=False):
    return x
"""
FRONT = {"up/front.py": "from up.base import Base\n"}
RENAMED = UP.replace("x, y=0", "x, z=0").replace("y=2", "z=2")
REMOVED = UP.replace("x, y=0", "x").replace(", y=2", "")
OVERRIDE = "    def run(self, x, y=0):\n        return super().run(x, y)\n"
HEADS = {
    "generic": "from up.base import Base\n\n\nclass Mine(Base[int]):\n",
    "named otherwise": "from up.base import Base\n\nParent = Base\n\n\nclass Mine(Parent):\n",
    "generic by another name": "import up.base as b\n\nParent = b.Base\n\n\nclass Mine(Parent[str]):\n",
    "imported by another name": "from up.base import Base as Up\n\n\nclass Mine(Up[int]):\n",
    "handed on by upstream": "from up.front import Base\n\n\nclass Mine(Base):\n",
    "starred": "from up.base import *\n\n\nclass Mine(Base):\n",
}


@pytest.mark.parametrize("head", HEADS.values(), ids=HEADS)
def test_an_override_is_found_whatever_its_base_is_called(tmp_path: Path, head: str) -> None:
    mine = head + OVERRIDE
    done = migrated(tmp_path / "renamed", mine, (UP, RENAMED), base=UP, more=(FRONT, FRONT))
    assert text(done) == head + OVERRIDE.replace("y", "z")
    assert not done.unwritten
    mine, asked = (each.replace("y=0", "y") for each in (mine, UP))
    done = migrated(tmp_path / "removed", mine, (asked, REMOVED), base=asked, more=(FRONT, FRONT))
    assert text(done) == mine.replace(", y", "")
    assert not done.unwritten


def test_a_class_of_the_same_name_that_is_no_override_stays(tmp_path: Path) -> None:
    other = "\n\nParent = dict\n\n\nclass Other(Parent[str, int]):\n" + OVERRIDE
    mine = HEADS["generic"] + OVERRIDE + other
    done = migrated(tmp_path, mine, (UP, RENAMED), base=UP)
    assert text(done) == HEADS["generic"] + OVERRIDE.replace("y", "z") + other


FN = UP.replace("x, flag=False", "x")
INIT = UP.replace("width, kind=1", "width")
METHOD = UP.replace("def run(self, a, b=0)", "def run(self, a)")
CALLS = [
    (FN, "from up.base import helper\n\n\ndef f(z):\n    return helper(helper(z, flag=True), flag=True)\n"),
    (FN, "from up.base import helper\n\n\ndef f(z):\n    return helper(z, flag=True) + helper(z, True)\n"),
    (FN, "from up.base import helper\n\nh = helper\n\n\ndef f(z):\n    return h(z, flag=True)\n"),
    (FN, "from up.base import *\n\n\ndef f(z):\n    return helper(z, flag=True)\n"),
    (
        INIT,
        "from up.base import Part\n\n\ndef f():\n    return Part(1, kind=2), Part(2, kind=3), Part(3, 4)\n",
    ),
    (INIT, "from up.base import Part\n\n\nclass Mine(Part): ...\n\n\ndef f():\n    return Mine(1, kind=2)\n"),
    (
        INIT,
        "from up.base import Part\n\n\nclass Mine(Part):\n"
        "    def __init__(self):\n        Part.__init__(self, 1, kind=2)\n",
    ),
    (
        METHOD,
        "from up.base import Part\n\n\ndef f(ps: list[Part]):\n    return [p.run(1, b=2) for p in ps]\n",
    ),
    (
        METHOD,
        "from up.base import Owner\n\n\ndef f(o: Owner):\n    return o.part.run(1, b=2) + o.part.run(2, b=3)\n",
    ),
]


@pytest.mark.parametrize(("after", "mine"), CALLS)
def test_every_call_is_found_in_whatever_way_it_is_reached(tmp_path: Path, after: str, mine: str) -> None:
    done = migrated(tmp_path, mine, (UP, after), base=UP)
    assert [left.why for left in done.unwritten] == []
    for gone in (", flag=True", ", True", ", kind=2", ", kind=3", ", 4", ", b=2", ", b=3"):
        mine = mine.replace(gone, "")
    assert text(done) == mine


def test_what_hands_the_arguments_on_is_named(tmp_path: Path) -> None:
    mine = (
        "from functools import partial\n\nfrom up.base import helper\n\n"
        "f = partial(helper, 1, flag=True)\ng = helper(2)\n"
    )
    done = migrated(tmp_path, mine, (UP, FN), base=UP)
    assert [left.why for left in done.unwritten] == [
        "src/plugin/mine.py:5: the arguments are handed to partial, which makes the call"
    ]
    assert not done.changes
