"""Imports that only type checkers read move with the others; those that are tried do not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.planning.test_plan import migrated, text

CHECKED = """\
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from up.base import Part


def other(part: "Part") -> None: ...
"""
TRIED = """\
try:
    from up.base import Part
except ImportError:
    Part = None
"""


def test_an_import_for_type_checkers_moves_too(tmp_path: Path) -> None:
    done = migrated(tmp_path, CHECKED, ("helper(x, 2)", "helper(x, 3)"), moved=("class Part:", "def make"))
    assert text(done) == CHECKED.replace("up.base", "up.moved")
    assert not done.unwritten


@pytest.mark.parametrize(
    ("mine", "changes"),
    [
        pytest.param(TRIED, (("helper(x, 2)", "helper(x, 3)"),), id="tried"),
        pytest.param(
            CHECKED.replace("Part", "helper"), (("def helper(x, y):\n    return x + y\n", ""),), id="gone"
        ),
    ],
)
def test_what_does_not_break_and_has_no_place_is_left(
    tmp_path: Path, mine: str, changes: tuple[tuple[str, str], ...]
) -> None:
    moved = ("class Part:", "def make") if "Part" in mine else None
    done = migrated(tmp_path, mine, *changes, moved=moved)
    assert text(done) == ""
    assert not done.unwritten
