"""Upstream's own ``super()`` calls reach what the backend puts into a base class."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

LIB = """
class Base:
    def __init__(self, size{more}): ...

    def load(self, weight{more}): ...


class Between(Base): ...


class Layer({base}):
    def __init__(self, size):
        super().__init__(size{given})

    def load(self, weight):
        return super().load(weight{given})
"""
HEAD = "from lib.a import Base\n\n\ndef mine(self, x): ...\n\n\n"


@pytest.mark.parametrize("base", ["Base", "Between"])
@pytest.mark.parametrize("method", ["__init__", "load"])
@pytest.mark.parametrize("given", [", bias=1", ", 1"])
def test_a_method_that_stands_in_a_base(base: str, method: str, given: str) -> None:
    old, new = (LIB.format(base=base, more=m, given=g) for m, g in (("", ""), (", bias=0", given)))
    plugin = f"{HEAD}Base.{method} = mine\n"
    assert compare(old, new, plugin) == [f"parameter-added lib.a.Base.{method} breaks 7 bias"]


@pytest.mark.parametrize(
    ("new", "plugin"),
    [
        pytest.param(
            LIB.format(base="Base", more=", bias=0", given=""), "Base.load = mine\n", id="no more passed"
        ),
        pytest.param(
            LIB.format(base="Base", more=", bias=0", given=", bias=1"),
            "class Own(Base):\n    def load(self, weight): ...\n",
            id="a class of its own",
        ),
        pytest.param(
            LIB.format(base="Other", more=", bias=0", given=", bias=1").replace(
                "class Layer", "class Other:\n    def load(self, weight, bias=0): ...\n\n\nclass Layer"
            ),
            "Base.load = mine\n",
            id="another base",
        ),
    ],
)
def test_what_reaches_something_else(new: str, plugin: str) -> None:
    rows = compare(LIB.format(base="Base", more="", given=""), new, HEAD + plugin)
    assert [row for row in rows if " breaks " in row] == []
