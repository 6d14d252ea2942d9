"""What an override asks of a parameter that is an object of another class now."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

LIB = """
class Plan:
    size: int
    def begin(self): ...


class Order:
    count: int


class Wide(Plan):
    size: int


class Base:
    def run(self, given: {declared}, more=None): ...
"""
MINE = "from lib.a import Base, Plan\n\n\nclass Mine(Base):\n    def run(self, given{annotation}, more=None):\n        {body}\n"


def _told(now: str, body: str, annotation: str = "", was: str = "Plan") -> list[str]:
    plugin = MINE.format(annotation=annotation, body=body)
    return compare(LIB.format(declared=was), LIB.format(declared=now), plugin)


@pytest.mark.parametrize("annotation", ["", ": Plan", ": 'Plan'"])
@pytest.mark.parametrize("now", ["Order", "Order | None"])
def test_an_attribute_that_the_other_class_lacks(now: str, annotation: str) -> None:
    assert _told(now, "return given.size, given.begin()", annotation) == [
        "parameter-type-changed lib.a.Base.run breaks 6 given.begin",
        "parameter-type-changed lib.a.Base.run breaks 6 given.size",
    ]


@pytest.mark.parametrize(
    ("now", "body", "annotation"),
    [
        pytest.param("Wide", "return given.size", "", id="derives from it"),
        pytest.param("Order", "return more.size", "", id="another parameter"),
        pytest.param("Order", "given = change(given)\n        return given.size", "", id="another value"),
        pytest.param("Order", "return given.size if hasattr(given, 'size') else 1", "", id="tested"),
        pytest.param("Order", "return [given.size for given in more]", "", id="another scope"),
        pytest.param("Order", "return (lambda given: given.size)(more)", "", id="another function"),
        pytest.param("Order", "return given.size", ": object", id="declared otherwise here"),
        pytest.param("Plan | Order", "return given.size", "", id="one of several"),
        pytest.param("Order", "return given", "", id="nothing asked"),
    ],
)
def test_what_goes_well(now: str, body: str, annotation: str) -> None:
    assert [row for row in _told(now, body, annotation) if "breaks" in row] == []


def test_what_was_wider_before() -> None:
    assert _told("Plan", "return given.size", was="Wide") == []
