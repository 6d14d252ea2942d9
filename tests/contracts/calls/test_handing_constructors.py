"""Objects of own classes whose constructors hand all on."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

OLD = """
class Options:
    def __init__(self, x, y=1): ...
class Base:
    def __init__(self, x, **more):
        self.options = Options(x=x, **more)
"""
NEW = OLD.replace("x, y=1", "x")
OWN = """import ray
from lib.a import Base
{deco}class Mine(Base):
    def __init__(self, *args, **kwargs):
        prepare()
        super().__init__(*args, **kwargs)
        self.ready = True
"""
ROW = "parameter-removed lib.a.Base.__init__ breaks 8 y"


@pytest.mark.parametrize(
    ("use", "line"),
    [("Mine(1, y=2)", 8), ("make = partial(Mine, y=2)", 8), ("class Other(Mine): ...\nOther(1, y=2)", 9)],
)
def test_what_the_base_does_not_take(use: str, line: int) -> None:
    rows = compare(OLD, NEW, OWN.format(deco="") + use + "\n")
    assert rows == [ROW.replace("8", str(line))]


@pytest.mark.parametrize("use", ["Mine.remote(1, y=2)", "Mine.options(name='n').remote(1, y=2)"])
def test_an_actor(use: str) -> None:
    assert compare(OLD, NEW, OWN.format(deco="@ray.remote\n") + use + "\n") == [ROW.replace("8", "9")]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("(self, *args, **kwargs)", "(self, *args, y=0, **kwargs)"),
        ("prepare()", "kwargs.pop('y', None)"),
        ("prepare()", "args = ()"),
        ("super().__init__(*args, **kwargs)", "super().__init__(*args)"),
        ("super().__init__(*args, **kwargs)", "super().__init__(*args, z=1, **kwargs)"),
        ("        super().__init__", "        if kwargs:\n            super().__init__"),
        ("class Mine(Base)", "class Mine(Other)"),
    ],
)
def test_a_constructor_that_does_more(before: str, after: str) -> None:
    plugin = OWN.format(deco="").replace(before, after) + "Mine(1, y=2)\n"
    assert [row for row in compare(OLD, NEW, plugin) if row.endswith(" y")] == []
