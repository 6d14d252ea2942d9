"""Fields that keep an argument of the constructor as it is, and have another declared type now."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

HEAD = """
from __future__ import annotations
import numpy as np
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple
class Page: ...
class Wide(Page): ...
class Other: ...
Ids = list
"""
FIELD = "@dataclass\nclass Out:\n    n: int\n    x: {}\n"
FUNCTION = "def Out(n: int, x: {}): return n\n"
USE = "from lib.a import Out\n\n\ndef g(given):\n    return Out({})\n"


def told(old: str, new: str, call: str = "1, x=given", shape: str = FIELD) -> list[str]:
    """Findings where the annotation of the field x changes from ``old`` to ``new``."""
    return compare(HEAD + shape.format(old), HEAD + shape.format(new), USE.format(call))


@pytest.mark.parametrize(
    ("old", "new", "call"),
    [
        ("list[np.ndarray]", "list[list[int]]", "1, x=given"),
        ("list[np.ndarray]", "list[list[int]]", "1, given"),
        ("dict", "Page", "1, given"),
        ("Page", "Other", "1, given"),
        ("str", "int", "1, 'a'"),
    ],
)
def test_values_of_a_type_that_is_declared_no_more_are_a_risk(old: str, new: str, call: str) -> None:
    assert told(old, new, call) == ["parameter-type-changed lib.a.Out at-risk 5 x"]


@pytest.mark.parametrize(
    ("old", "new", "call"),
    [
        ("list[int]", "list[int] | None", "1, given"),
        ("list[int]", "Any", "1, given"),
        ("list[int]", "list", "1, given"),
        ("int", "float", "1, given"),
        ("str", "Literal['a', 'b']", "1, given"),
        ("Wide", "Page", "1, given"),
        ("list[int]", "Ids", "1, given"),
        ("np.ndarray", "np.generic", "1, given"),
        ("list[Page]", "list[Other]", "1, given"),
        ("str", "int", "1, 2"),
        ("str", "int", "*given"),
        ("dict[str, int]", "list[int] | Wide", "1, given"),
    ],
)
def test_what_may_still_fit_is_no_finding(old: str, new: str, call: str) -> None:
    assert told(old, new, call) == []


def test_the_annotation_of_a_function_is_no_finding() -> None:
    assert told("dict", "list", "1, x=given", FUNCTION) == []
