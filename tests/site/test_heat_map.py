"""Which columns a heat map has, in which groups."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from syncbot.config import SimulationSettings
from syncbot.lanes.matrix import Lane, Matrix
from syncbot.site.heat_map import WIDEST, Cases, Group, heat_map

from .project import digest, matrix


def wide(checks: list[str], lanes: int = 1) -> Matrix:
    evidence = matrix().lanes[0].checks["static"]
    rows = [
        Lane(tag=f"v0.{n}.0", wheel=f"0.{n}.0", python=">=3.11", sources=digest("x"), checks=dict.fromkeys(checks, evidence))
        for n in range(lanes)
    ]  # fmt: skip
    return Matrix(upstream="lib", baseline="v0.0.0", lanes=tuple(rows))


def columns(groups: tuple[Group, ...]) -> dict[tuple[str | None, int], list[str]]:
    return {(group.name, group.part): [column.name for column in group.columns] for group in groups}


def test_groups_are_as_configured_with_other_checks_before_and_other_cases_behind() -> None:
    cases = Cases(
        dict.fromkeys(("one", "two", "three"), ("a", "b")), {"later": ("three",), "first": ("one",)}
    )
    known = wide(["static", "simulate-two-a", "simulate-one-b", "simulate-three-a", "simulate-gone-a"])
    found = heat_map(known, cases)
    assert columns(found.groups) == {
        ("", 1): ["simulate-gone-a", "static"],
        ("later", 1): ["three"],
        ("first", 1): ["one"],
        (None, 1): ["two"],
    }
    assert [run.check for run in found.groups[1].columns[0].runs] == ["simulate-three-a", "simulate-three-b"]


def test_without_configured_cases_each_check_is_a_column() -> None:
    assert columns(heat_map(matrix(), Cases()).groups) == {
        ("", 1): ["simulate-qwen3-v1", "simulate-qwen3-v2", "static"]
    }


def test_a_large_group_is_divided_and_too_many_do_not_stand_in_a_row() -> None:
    found = heat_map(wide([f"c{n:02}" for n in range(WIDEST * 4)]), Cases())
    assert [(len(group.columns), group.part) for group in found.groups] == [(WIDEST, n) for n in (1, 2, 3, 4)]
    assert not found.fits_a_row
    assert heat_map(matrix(), Cases()).fits_a_row


def test_more_lanes_than_a_page_holds_are_named_the_oldest_first_to_go() -> None:
    found = heat_map(wide([f"c{n:02}" for n in range(100)], lanes=20), Cases())
    assert [lane.tag for lane in found.lanes[:2]] == ["v0.19.0", "v0.18.0"]
    assert [lane.tag for lane in found.left_out] == [f"v0.{n}.0" for n in reversed(range(7))]


@pytest.mark.parametrize(
    ("groups", "mistake"),
    [
        ({"models": ["small"]}, "groups name 'small', which is not one of the cases"),
        ({"models": ["big"], "all": ["big"]}, "groups name the case 'big' twice"),
    ],
)
def test_groups_of_what_is_no_case(groups: dict[str, list[str]], mistake: str) -> None:
    with pytest.raises(ValidationError, match=mistake):
        SimulationSettings.model_validate({"check": "lib.check", "cases": {"big": ["a"]}, "groups": groups})
