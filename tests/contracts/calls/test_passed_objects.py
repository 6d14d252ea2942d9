"""Objects of upstream's classes, passed where another class is declared now."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

OLD = """
class Part:
    world = 1


class Whole:
    def __init__(self, part: Part):
        self.part = part


def go(part: Part, rank):
    return part.world
"""
HEAD = "def go(part: Part, rank):\n    return part.world\n"
USE = "from lib.a import Part, Whole, go\n\n\ndef use(part: Part, whole: Whole):\n    {}\n"
BREAKS = ["parameter-type-changed lib.a.go breaks 5 whole"]
RISK = ["parameter-type-changed lib.a.go at-risk 5 whole"]


def told(
    head: str, body: str = "    return whole.part\n", use: str = "go(part, 1)", more: str = ""
) -> list[str]:
    new = OLD.replace(HEAD, f"def go({head}, rank):\n{body}")
    assert new != OLD
    return compare(OLD, new + more, USE.format(use))


def test_what_is_passed_lacks_what_is_read() -> None:
    assert told("whole: Whole") == BREAKS
    assert told("whole: Whole", use="go(whole.part, 1)") == BREAKS
    assert told("whole: 'Whole | None'") == BREAKS


def test_what_is_read_is_not_seen() -> None:
    assert told("whole: Whole", body="    return use(whole)\n") == RISK
    assert told("whole: Whole", body="    if rank:\n        return whole.part\n") == RISK


def test_a_keyword_that_is_declared_otherwise() -> None:
    found = told("part: Whole", body="    return part.part\n", use="go(part=part, rank=1)")
    assert found == ["parameter-type-changed lib.a.go breaks 5 part"]


@pytest.mark.parametrize(
    ("head", "body", "use"),
    [
        pytest.param("one: Part", "    return one.world\n", "go(part, 1)", id="another name alone"),
        pytest.param("whole: 'Part | Whole'", "    return whole\n", "go(part, 1)", id="one of both"),
        pytest.param("whole", "    return whole\n", "go(part, 1)", id="nothing declared"),
        pytest.param("whole: Whole", "    return whole.part\n", "go(whole, 1)", id="was wrong before"),
        pytest.param("whole: Whole", "    return whole.part\n", "go(other(), 1)", id="not known"),
        pytest.param("whole: Whole", "    return whole.part\n", "go(*[part], 1)", id="behind a star"),
        pytest.param(
            "whole: Whole",
            "    if isinstance(whole, Part):\n        whole = Whole(whole)\n    return whole.part\n",
            "go(part, 1)",
            id="told apart there",
        ),
    ],
)
def test_what_fits_or_is_not_seen_not_to(head: str, body: str, use: str) -> None:
    assert told(head, body, use) == []


@pytest.mark.parametrize("base", ["Part", "Protocol"])
def test_an_object_may_be_of_both(base: str) -> None:
    more = f"\nfrom typing import Protocol\n\n\nclass Sub({base}):\n    deep = 1\n"
    assert told("whole: Sub", "    return whole.deep\n", more=more) == []
