"""Attributes that are gone, and what stands in their place: what they gave, a constant, another expression."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.planning.test_plan import migrated, text

OLD = """\
class Spec:
    def __init__(self, width):
        self.width = width
        self.step = 0

    @property
    def size(self):
        \"\"\"The width.\"\"\"
        return self.width


class Engine:
    def __init__(self, spec: Spec):
        self.spec = spec
        self.other = spec

    def one(self, spec: Spec):
        return spec.step + 1

    def two(self, spec: Spec):
        return [spec.step]

    def check(self):
        assert self.spec.step == 0
"""
MINE = """\
from up.engine import Engine, Spec


class Mine(Engine):
    def go(self, spec: Spec):
        return USED
"""


def done(tmp_path: Path, mine: str, *changes: tuple[str, str]) -> str:
    new = OLD
    for old, now in changes:
        assert old in new
        new = new.replace(old, now)
    return text(
        migrated(tmp_path, mine, ("helper(x, 2)", "helper(x, 3)"),
                 more=({"up/engine.py": OLD}, {"up/engine.py": new}))
    )  # fmt: skip


PROPERTY = OLD[OLD.index("    @property") : OLD.index("class Engine")]


def test_what_a_property_gave_is_read_itself(tmp_path: Path) -> None:
    assert "return spec.width" in done(tmp_path, MINE.replace("USED", "spec.size"), (PROPERTY, "\n"))


def test_what_a_property_gave_is_not_read_where_it_is_gone_too(tmp_path: Path) -> None:
    mine = MINE.replace("USED", "spec.size")
    assert done(tmp_path, mine, (PROPERTY, "\n"), ("self.width = width", "self.depth = width")) == ""


GONE = ("        self.step = 0\n", "")


@pytest.mark.parametrize(
    ("two", "expected"),
    [("[0]", "return x[0]  # here"), ("[1]", ""), ("[spec.width]", "")],
)
def test_the_constant_that_every_reader_has_in_its_place(tmp_path: Path, two: str, expected: str) -> None:
    mine = MINE.replace("return USED", "x = [1]\n        return x[spec.step]  # here")
    changes = (GONE, ("spec.step + 1", "0 + 1"), ("[spec.step]", two), ("self.spec.step == 0", "0 == 0"))
    kept = done(tmp_path, mine, *changes)
    assert expected in kept
    assert bool(kept) == bool(expected)


@pytest.mark.parametrize(
    ("now", "expected"),
    [("self.other.width", "assert self.other.width == 1, (  # why\n"), ("self.none.width", "")],
)
def test_the_expression_that_stands_for_the_very_same_one(tmp_path: Path, now: str, expected: str) -> None:
    mine = MINE.replace("return USED", "assert self.spec.step == 1, (  # why\n            'no'\n        )")
    changes = (GONE, ("spec.step + 1", "spec.width"), ("[spec.step]", "[]"), ("self.spec.step", now))
    kept = done(tmp_path, mine, *changes)
    assert expected in kept
    assert bool(kept) == bool(expected)


@pytest.mark.parametrize(("after", "expected"), [("pace", "spec.pace = spec.pace + 1"), ("pace.now", "")])
def test_what_is_set_here_has_to_stay_an_attribute(tmp_path: Path, after: str, expected: str) -> None:
    mine = MINE.replace("return USED", "spec.step = spec.step + 1")
    first = "self.step = 0", "self.pace = 0"
    kept = done(tmp_path, mine, first, ("spec.step + 1", f"spec.{after} + 1"), ("[spec.step]", f"[spec.{after}]"),
                ("self.spec.step", f"self.spec.{after}"))  # fmt: skip
    assert expected in kept
    assert bool(kept) == bool(expected)


def test_what_is_passed_by_another_name_is_no_constant(tmp_path: Path) -> None:
    passed = (("spec.step + 1", "spec.make(step=spec.step)"), ("[spec.step]", "spec.make(step=spec.step)"))
    old, new = OLD, OLD.replace(*GONE)
    for was, given in passed:
        old, new = old.replace(was, given), new.replace(was, "spec.make(pace=spec.pace)")
    old, new = (t.replace("        assert self.spec.step == 0\n", "        return 1\n") for t in (old, new))
    after = migrated(
        tmp_path, MINE.replace("USED", "x[spec.step]"), ("helper(x, 2)", "helper(x, 3)"),
        more=({"up/engine.py": old}, {"up/engine.py": new}),
    )  # fmt: skip
    assert text(after) == ""
