"""Constructors that upstream calls by a variable that holds the class which it chose."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

LIB = """
from abc import ABC, abstractmethod


class Impl(ABC):
    @abstractmethod
    def __init__(self, a, b, c, d, e, f{more}): ...


class Layer:
    def __init__(self, choose):
        chosen = choose()
        self.impl = chosen(1, 2, 3, 4, 5, 6{given})
"""
OLD = LIB.format(more="", given="")
NEW = LIB.format(more=", g=None", given=", 7")
MINE = "from lib.a import Impl\n\n\nclass Mine(Impl):\n    def __init__(self, a, b, c, d, e, f): ...\n"


def test_what_is_chosen_is_made_with_more() -> None:
    assert compare(OLD, NEW, MINE) == ["parameter-added lib.a.Impl.__init__ breaks 5 g"]
    spread = NEW.replace(", 7)", ", 7, **choose)")
    assert compare(OLD.replace("6)", "6, **choose)"), spread, MINE) == [
        "parameter-added lib.a.Impl.__init__ breaks 5 g"
    ]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param(OLD, LIB.format(more=", g=None", given=""), id="passes no more"),
        pytest.param(OLD.replace(", 6)", ")"), NEW, id="passed less before"),
        pytest.param(OLD, NEW.replace("chosen", "made"), id="another variable"),
        pytest.param(
            OLD + "def chosen(*a): ...\n", NEW + "def chosen(*a): ...\n", id="a function of that name"
        ),
        pytest.param(
            OLD.replace("1, 2, 3, ", "").replace("a, b, c, ", ""),
            NEW.replace("1, 2, 3, ", "").replace("a, b, c, ", ""),
            id="few arguments",
        ),
    ],
)
def test_what_may_call_something_else(old: str, new: str) -> None:
    mine = MINE.replace("a, b, c, ", "") if "a, b" not in old else MINE
    assert [row for row in compare(old, new, mine) if "breaks" in row] == []


def test_who_takes_it_by_place_fits() -> None:
    found = compare(OLD, NEW, MINE.replace("e, f)", "e, f, *more)"))
    assert [row for row in found if "breaks" in row] == []
