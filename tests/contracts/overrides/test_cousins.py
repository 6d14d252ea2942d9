"""Methods that no base declares, beside those of other classes with the same base."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare, findings

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
NAMED = lib(", slots=1", ", slots=1", "key, slots=slots")
MINE = "from lib.a import Base\n\n\nclass Mine(Base):\n    def update(self, key): ...\n"


def test_what_all_of_them_require() -> None:
    assert compare(OLD, REQUIRED, MINE) == ["parameter-required lib.a.One.update breaks 5 slots"]


def test_what_is_passed_to_all_of_them_by_name() -> None:
    assert compare(OLD, NAMED, MINE) == ["parameter-added lib.a.One.update breaks 5 slots"]


def test_what_none_of_them_takes_any_more() -> None:
    mine = MINE.replace("key)", "key, slots)")
    told = ["parameter-removed lib.a.One.update breaks 5 slots"]
    assert compare(REQUIRED, OLD, mine) == told


@pytest.mark.parametrize(
    ("old", "new", "mine"),
    [
        pytest.param(OLD, REQUIRED, MINE.replace("key)", "key, slots=2)"), id="takes it"),
        pytest.param(OLD, REQUIRED, MINE.replace("key)", "*args)"), id="takes anything"),
        pytest.param(OLD, REQUIRED, MINE.replace("(Base)", ""), id="nothing of upstream's"),
        pytest.param(OLD, lib("", ", slots=1", "key, slots=slots"), MINE, id="one of them is as it was"),
        pytest.param(OLD, lib(", slots=1", ", more=1", "key, slots"), MINE, id="each of them otherwise"),
        pytest.param(OLD, REQUIRED, MINE.replace("key)", "key, other)"), id="what never fitted"),
        pytest.param(OLD, REQUIRED, MINE.replace("...", "raise NotImplementedError"), id="not there"),
        pytest.param(OLD, REQUIRED, MINE.replace("update", "_update"), id="private"),
        pytest.param(
            OLD.replace("chosen()", "One()"), REQUIRED.replace("chosen()", "One()"),
            MINE.replace("(Base)", "(Base, metaclass=type)").replace("update", "updates"), id="another name",
        ),
        pytest.param(
            OLD.replace("self.chosen.update", "print"), REQUIRED.replace("self.chosen.update", "print"), MINE,
            id="nobody calls it",
        ),
        pytest.param(OLD, REQUIRED.replace("update(key, slots)", "update(*key)"), MINE, id="as much as fits"),
    ],
)  # fmt: skip
def test_what_fits_or_is_not_called_so(old: str, new: str, mine: str) -> None:
    assert compare(old, new, mine) == []


def test_one_alone_may_have_it_for_itself() -> None:
    alone = [text.replace("Other(Base)", "Other") for text in (OLD, REQUIRED)]
    assert compare(*alone, MINE) == []


def test_an_object_of_a_class_that_is_no_kin_is_another() -> None:
    apart = "\n\nclass Apart:\n    def update(self, key{more}): ...\n"
    old, new = (text.replace("chosen()", "Apart()") for text in (OLD, REQUIRED))
    assert compare(old + apart.format(more=""), new + apart.format(more=", slots"), MINE) == []


def test_what_the_backend_calls_itself_may_be_its_own() -> None:
    mine = MINE + "\n\ndef use(some):\n    some.update(1)\n"
    assert compare(OLD, REQUIRED, mine) == ["parameter-required lib.a.One.update at-risk 5 slots"]


def test_the_reason_says_how_many_there_are() -> None:
    (found,) = findings(OLD, REQUIRED, MINE)
    assert found.reason.endswith(
        "which the method here does not take; all 2 classes of upstream's that have it beside this did so"
    )
