"""Attributes that the code gives a value only where it has read them, and that upstream sets no more."""

from __future__ import annotations

import pytest

from syncbot.contracts.attributes.lazy_values import is_set_lazily
from tests.contracts.world import compare

OLD = """class Base:
    def __init__(self):
        self.kept = None

    def get(self):
        return self.kept
"""
NEW = OLD.replace("kept", "held")
PUT = """from lib.a import Base

def get(self):
    if self.kept is None:
        self.kept = 3
    return self.kept

Base.get = get
"""
DERIVED = """from lib.a import Base

class Mine(Base):
    def get(self):
        if not self.kept:
            self.kept = 3
        return self.kept
"""
ONWARD = """from lib.a import Base

class Mine(Base):
    def get(self):
        self.kept: int = max(self.kept, 3)
        return self.kept
"""


def breaks(plugin: str) -> list[str]:
    return [row for row in compare(OLD, NEW, plugin) if " breaks " in row]


@pytest.mark.parametrize(
    ("plugin", "line"),
    [(PUT, 4), (DERIVED, 5), (ONWARD, 5)],
    ids=["put into upstream", "derived", "a value of the one before"],
)
def test_the_first_read_needs_the_value_of_upstream(plugin: str, line: int) -> None:
    assert breaks(plugin) == [f"attribute-removed lib.a.Base.kept breaks {line} kept"]


@pytest.mark.parametrize(
    "plugin",
    [
        pytest.param(PUT + "\ndef set(self: Base):\n    self.kept = 1\n", id="set elsewhere as well"),
        pytest.param(DERIVED + "    def set(self):\n        self.kept = 1\n", id="set by another method"),
        pytest.param(PUT.replace("self.kept is None", "not hasattr(self, 'kept')"), id="asked for"),
        pytest.param(DERIVED.replace("not self.kept", "not hasattr(self, 'kept')"), id="asked for, derived"),
        pytest.param(PUT.replace("    if", "    self.kept = None\n    if"), id="set before"),
        pytest.param(DERIVED.replace("    def", "    kept = None\n\n    def", 1), id="a value of the class"),
        pytest.param(
            ONWARD + "    def set(self):\n        self.kept = 1\n", id="set by another method, onward"
        ),
        pytest.param(ONWARD.replace("max(self.kept", "max(self.kept_too"), id="a value of another"),
    ],
)
def test_what_has_a_value_of_its_own(plugin: str) -> None:
    assert breaks(plugin) == []


@pytest.mark.parametrize(
    ("body", "line", "lazily"),
    [
        ("if self.a is None:\n    self.a = 1", 2, True),
        ("while not self.a:\n    self.a = 1", 2, True),
        ("self.a = self.a or 1", 2, True),
        ("self.a: int = self.a + 1", 2, True),
        ("self.a += 1", 2, True),
        ("if self.a:\n    pass\nelse:\n    self.a = 1", 2, True),
        ("if self.a is None:\n    self.a = 1\nreturn self.a", 4, False),
        ("if self.b is None:\n    self.a = 1", 2, False),
        ("if self.a is None:\n    self.b, self.a = 1, 2", 2, True),
        ("self.b, self.a = 1, 2", 2, False),
        ("if self.a:\n    def set(self):\n        self.a = 1", 2, False),
        ("return self.a", 2, False),
    ],
)
def test_what_stands_behind_a_read(body: str, line: int, lazily: bool) -> None:
    text = "def f(self):\n" + "".join(f"    {each}\n" for each in body.splitlines())
    assert is_set_lazily(text.encode(), line, "a") is lazily


def test_what_cannot_be_read_sets_nothing() -> None:
    assert not is_set_lazily(b"def f(:\n", 1, "a")
