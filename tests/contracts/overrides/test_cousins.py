"""Methods that no base declares, beside those of other classes with the same base."""

from __future__ import annotations

from tests.contracts.world import findings

LIB = """
class Base:
    def load(self): ...


class One(Base):
    def update(self, key{one}): ...


class Other(Base):
    def update(self, key{other}): ...


class Layer:
    def __init__(self, chosen):
        self.chosen = chosen()

    def run(self, key, slots=1):
        self.chosen.update({given})
"""


def lib(one: str, other: str, given: str) -> str:
    return LIB.format(one=one, other=other, given=given)


OLD = lib("", "", "key")
REQUIRED = lib(", slots", ", slots", "key, slots")
MINE = "from lib.a import Base\n\n\nclass Mine(Base):\n    def update(self, key): ...\n"


def test_the_reason_says_how_many_there_are() -> None:
    (found,) = findings(OLD, REQUIRED, MINE)
    assert found.reason.endswith(
        "which the method here does not take; all 2 classes of upstream's that have it beside this did so"
    )
