"""Overrides of a method that upstream dropped, in classes that ask whether their base still has it."""

from __future__ import annotations

import pytest

from tests.contracts.world import findings

OLD = "class Base:\n    def wide(self):\n        return self.x + 2\n    def run(self):\n        return self.wide()\n"
NEW = "class Base:\n    def run(self):\n        return self.y\n"
OWN = """
import lib.a
from lib.a import Base
class Other: ...
class Mine(Base):
    def wide(self):
        return self.x * 2
    def run(self):
        if {test}:
            return super().run()
        return self.x
"""


def told(test: str) -> list[str]:
    """The verdicts on the override, with what is said of the class."""
    found = findings(OLD, NEW, OWN.format(test=test))
    dead = (f for f in found if "this override is dead" in f.reason)
    return [f"{f.verdict}{' tested' if 'tests whether its base has it' in f.reason else ''}" for f in dead]


@pytest.mark.parametrize(
    "test",
    [
        'hasattr(super(), "wide")',
        'not hasattr(super(Mine, self), "wide")',
        'getattr(super(), "wide", None) is not None',
        'hasattr(Base, "wide")',
        'hasattr(lib.a.Base, "wide")',
    ],
)
def test_a_class_that_asks_its_base_is_written_for_both(test: str) -> None:
    assert told(test) == ["at-risk tested"]


@pytest.mark.parametrize(
    "test",
    [
        *("True", 'hasattr(super(), "narrow")', 'hasattr(Other, "wide")', 'hasattr(Mine, "wide")'),
        *('hasattr(self, "wide")', 'hasattr(self.x, "wide")', "hasattr(super(), self.x)"),
    ],
)
def test_what_asks_anything_else_keeps_a_dead_override(test: str) -> None:
    assert told(test) == ["breaks"]
