"""Overrides that give a text or number where upstream wants an object now."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

LIB = """
import enum
from typing import Protocol


class Kind(enum.Enum):
    A = "a"


class Text(str, enum.Enum):
    A = "a"


class Shape(Protocol):
    def f(self): ...


class Base:
    @property
    def kind(self) -> {property}:
        return made()

    def took(self) -> {method}:
        return made()
"""
MINE = """
from lib.a import Base


class Mine(Base):
    @property
    def kind(self){annotation}:
        return "a"

    def took(self) -> float:
        return measured()
"""


@pytest.mark.parametrize("annotation", ["", " -> str"])
def test_an_object_is_wanted_now(annotation: str) -> None:
    old, new = LIB.format(property="str", method="float"), LIB.format(property="Kind", method="Kind | None")
    assert compare(old, new, MINE.format(annotation=annotation)) == [
        "return-type-changed lib.a.Base.kind breaks 6",
        "return-type-changed lib.a.Base.took breaks 9",
    ]


@pytest.mark.parametrize(
    ("now", "annotation"),
    [
        pytest.param("Text", "", id="an enumeration of texts"),
        pytest.param("Shape", "", id="a protocol"),
        pytest.param("int", "", id="plain itself"),
        pytest.param("Kind", " -> Any", id="something else is declared"),
        pytest.param("Kind | int", "", id="one of several"),
        pytest.param("Kind", " -> Kind", id="that is declared"),
    ],
)
def test_what_may_do(now: str, annotation: str) -> None:
    old, new = LIB.format(property="str", method="float"), LIB.format(property=now, method="float")
    rows = compare(old, new, MINE.format(annotation=annotation))
    assert [row for row in rows if " breaks " in row] == []
