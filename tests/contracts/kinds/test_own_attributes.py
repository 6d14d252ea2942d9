"""Attributes that a class sets on itself, where upstream's has a property of that name now."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

BASE = "class Base:\n    def run(self): ...\n"
READ = "    @property\n    def size(self): return 1\n"
WRITE = READ + "    @size.setter\n    def size(self, value): ...\n"
USE = "from lib.a import Base\nclass Mine(Base):\n    def __init__(self):\n        self.size = 2\n"
TOLD = ["attribute-read-only lib.a.Base.size breaks 4 size"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param(BASE, BASE + READ, id="a name that upstream did not have"),
        pytest.param(BASE + WRITE, BASE + READ, id="the setter is gone"),
    ],
)
def test_what_cannot_be_set_any_more(old: str, new: str) -> None:
    assert compare(old, new, USE) == TOLD


def test_each_attribute_is_told_once() -> None:
    assert compare(BASE, BASE + READ, USE + "    def more(self):\n        self.size = 3\n") == TOLD


@pytest.mark.parametrize(
    "body",
    [
        "try:\n            self.size = 2\n        except AttributeError:\n            pass",
        "if not hasattr(self, 'size'):\n            self.size = 2",
    ],
)
def test_what_is_caught_or_tested_for(body: str) -> None:
    told = compare(BASE, BASE + READ, USE.replace("self.size = 2", body))
    assert told == ["attribute-read-only lib.a.Base.size at-risk 5 size"]


@pytest.mark.parametrize(
    ("old", "new", "use"),
    [
        pytest.param(BASE, BASE + WRITE, USE, id="it has a setter"),
        pytest.param(BASE + READ, BASE + READ, USE, id="it had none before"),
        pytest.param(BASE, BASE + READ.replace("property", "cached_property"), USE, id="it is cached"),
        pytest.param(BASE, BASE + READ, USE + "    size = 0\n", id="the class has its own"),
        pytest.param(BASE, BASE + READ, USE.replace("(Base)", ""), id="it does not derive"),
        pytest.param(BASE, BASE + READ, USE.replace("self.size = 2", "size = 2"), id="a variable"),
        pytest.param(BASE, BASE + READ, USE.replace(".size", ".sizes"), id="another name"),
    ],
)
def test_what_can_be_set(old: str, new: str, use: str) -> None:
    assert compare(old, new, use) == []


def test_what_a_base_of_ours_defines() -> None:
    between = USE.replace("class Mine(Base):", "class Own(Base):\n    size = 1\nclass Mine(Own):")
    assert compare(BASE, BASE + READ, between) == []
