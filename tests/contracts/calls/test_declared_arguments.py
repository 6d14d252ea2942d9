"""Arguments of calls, and parameters that are declared with another type."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

HEAD = """
from typing import *
from enum import Enum
import enum
class Mapped:
    pass
class Mode(Enum):
    A = 1
class Text(str, Enum):
    A = "a"
class Like(Protocol): ...
class Sub(dict): ...
class Odd(metaclass=Meta): ...
Alias = Union[Mapped, dict]
class Tab: ...
"""
USE = "from lib.a import f, Tab\n\n\ndef g(given):\n    f({})\n"


def told(old: str, new: str, call: str, body: str = "keep(x.y)", before: str = "") -> list[str]:
    """Findings where the annotation of f's x changes from ``old`` to ``new``."""
    texts = [f"{HEAD}{{}}def f(x: {annotation} = None):\n    {body}\n" for annotation in (old, new)]
    return compare(texts[0].format(""), texts[1].format(before), USE.format(call))


ROW = ["parameter-type-changed lib.a.f breaks 5 x"]


@pytest.mark.parametrize(
    ("old", "new", "call"),
    [
        ("dict", "Mapped", "{'a': 1}"),
        ("Optional[Dict[str, int]]", "Optional[Mapped]", "x={k: 1 for k in given}"),
        ("Mapping", "'Mapped | None'", "{}"),
        ("str", "Mode", "'a'"),
        ("List[Type[Tab]]", "Sequence[Tab]", "[Tab]"),
        ("list[type[Tab]] | None", "Optional[List[Tab]]", "[Tab, Tab]"),
    ],
)
def test_a_literal_of_another_type(old: str, new: str, call: str) -> None:
    assert told(old, new, call) == ROW


@pytest.mark.parametrize(
    ("old", "new", "call"),
    [
        ("dict", "Mapped", "given"),
        ("dict", "Mapped", "None"),
        ("dict", "Mapped", "*given"),
        ("dict", "Alias", "{}"),
        ("dict", "Mapped | dict", "{}"),
        ("dict", "Like", "{}"),
        ("dict", "Sub", "{}"),
        ("dict", "Odd", "{}"),
        ("dict", "Outside", "{}"),
        ("Any", "Mapped", "{}"),
        ("object", "Mapped", "{}"),
        ("str", "Text", "'a'"),
        ("str", "Mode", "1"),
        ("dict", "list", "{}"),
        ("list[type[Tab]]", "Sequence[Tab]", "[Tab()]"),
        ("list[Tab]", "Sequence[Mapped]", "[Tab]"),
        ("list[type[Tab]]", "Sequence[type[Mapped]]", "[Tab]"),
    ],
)
def test_what_may_still_be_meant(old: str, new: str, call: str) -> None:
    assert told(old, new, call) == []


@pytest.mark.parametrize(
    "body",
    [
        "x = Mapped(x)",
        "x = Mapped.of(x)",
        "x if isinstance(x, dict) else 0",
        "match x:\n        case dict(): pass",
        "keep(dict(x))",
    ],
)
def test_a_function_that_takes_both(body: str) -> None:
    assert told("dict", "Mapped", "{}", body) == []


def test_a_decorator_may_convert() -> None:
    assert told("dict", "Mapped", "{}", before="@converting\n") == []
