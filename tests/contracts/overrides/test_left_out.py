"""Parameters that upstream made optional, and leaves out."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

OLD = """
class Base:
    def run(self, mode, size): ...


def drive(base: Base):
    base.run(1, 2)
"""
NEW = OLD.replace("size)", "size=0)").replace("1, 2", "1")
MINE = "from lib.a import Base\n\n\nclass Mine(Base):\n    def run(self, mode, size): ...\n"
PUT = "import lib.a\n\n\ndef run(self, mode, size): ...\n\n\nlib.a.Base.run = run\n"


@pytest.mark.parametrize(("own", "line"), [(MINE, 5), (PUT, 7)])
def test_a_caller_leaves_it_out(own: str, line: int) -> None:
    assert compare(OLD, NEW, own) == [f"parameter-default-added lib.a.Base.run breaks {line} size"]


def test_a_function_that_is_replaced() -> None:
    old = "def run(mode, size): ...\n\n\ndef drive():\n    run(1, 2)\n"
    own = "import lib.a\n\n\ndef mine(mode, size): ...\n\n\nlib.a.run = mine\n"
    new = old.replace("size)", "size=0)").replace("1, 2", "1")
    assert compare(old, new, own) == ["parameter-default-added lib.a.run breaks 7 size"]


@pytest.mark.parametrize(
    ("new", "own"),
    [
        pytest.param(NEW.replace("run(1)", "run(1, 2)"), MINE, id="passed by all"),
        pytest.param(NEW.replace("run(1)", "run(1, size=2)"), MINE, id="passed by name"),
        pytest.param(NEW.replace("run(1)", "run(*all)"), MINE, id="passed unseen"),
        pytest.param(NEW, MINE.replace("size)", "size=1)"), id="optional here"),
        pytest.param(NEW, MINE.replace("mode, size", "mode, *more"), id="taken as it comes"),
        pytest.param(NEW.replace("def drive(base: Base):\n    base", "class Driver:\n    def drive(self, base: Other):\n        base")
                     + "\n\nclass Other:\n    def run(self, m): ...\n",
                     MINE, id="another object"),
    ],
)  # fmt: skip
def test_nothing_is_missing(new: str, own: str) -> None:
    assert compare(OLD, new, own) == []


def test_constructors_are_called_by_their_own_class() -> None:
    old = "class Base:\n    def __init__(self, mode, size): ...\n\n\ndef make():\n    return Base(1, 2)\n"
    new = old.replace("size)", "size=0)").replace("1, 2", "1")
    assert compare(old, new, MINE.replace("run", "__init__")) == []


def test_where_others_pass_it_upstream_may_choose() -> None:
    new = NEW + "\n\ndef wide(base: Base):\n    base.run(1, 2)\n"
    assert compare(OLD, new, MINE) == ["parameter-default-added lib.a.Base.run at-risk 5 size"]


HOLDER = """

class Holder:
    def __init__(self):
        self.base = Base()

    def start(self):
        self.base.run({})

    def again(self):
        self.base.run({})
"""


@pytest.mark.parametrize(
    ("start", "again", "verdict"),
    [("1", "1, 2", "breaks"), ("1, 2", "1", "breaks"), ("1) or self.base.run(1, 2", "1, 2", "at-risk")],
)
def test_a_caller_that_is_sure_to_hold_such_an_object(start: str, again: str, verdict: str) -> None:
    old = OLD + HOLDER.format("1, 2", "1, 2")
    new = old.replace("size)", "size=0)").replace(HOLDER.format("1, 2", "1, 2"), HOLDER.format(start, again))
    assert compare(old, new, MINE) == [f"parameter-default-added lib.a.Base.run {verdict} 5 size"]
