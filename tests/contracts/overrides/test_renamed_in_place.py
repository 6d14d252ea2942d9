"""Parameters under a new name that upstream passes by place."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare as lib

PLACES = "class Base:\n    def run(self, {0}, mode=0): ...\n\n\ndef drive(base: Base):\n    base.run({1})\n"


@pytest.mark.parametrize(
    ("passed", "expected"),
    [
        pytest.param("1, 2", ["parameter-removed at-risk blocks", "parameter-required at-risk keys",
                              "parameter-required breaks context"], id="by place"),
        pytest.param("keys=1, context=2", ["parameter-removed breaks blocks", "parameter-required breaks context",
                                           "parameter-required breaks keys"], id="by name"),
        pytest.param("1, context=2", ["parameter-removed at-risk blocks", "parameter-required at-risk keys",
                                      "parameter-required breaks context"], id="the first by place"),
    ],
)  # fmt: skip
def test_a_parameter_of_another_name_that_is_passed_by_place(passed: str, expected: list[str]) -> None:
    mine = "from lib.a import Base\n\n\nclass Mine(Base):\n    def run(self, blocks): ...\n"
    for old, new in (
        ("blocks: Iterable[int]", "keys: Collection[str]"),
        ("blocks", "keys"),
        ("blocks: A", "keys: A"),
    ):
        rows = lib(PLACES.format(old, "1"), PLACES.format(f"{new}, context", passed), mine)
        assert [" ".join(row.split()[i] for i in (0, 2, 4)) for row in rows] == expected
    rows = lib(PLACES.format("blocks: list", "1"), PLACES.format("keys: str, context", passed), mine)
    assert all(" breaks " in row for row in rows)


RETYPED = """
class Base:
    def run(self, ids: set[str]): ...


def drive(base: Base):
    base.run(1)
"""
NOW = RETYPED.replace("ids: set[str]", "meta: Meta")
OURS = "from lib.a import Base\n\n\nclass Mine(Base):\n    def run(self, {}): ...\n"
PUT = "from lib.a import Base\n\n\ndef run(self, {}): ...\n\n\nBase.run = run\n"


@pytest.mark.parametrize("mine", ["ids", "ids: set[str]", "names: set[str]"])
def test_another_name_and_another_type(mine: str) -> None:
    assert lib(RETYPED, NOW, OURS.format(mine)) == ["parameter-type-changed lib.a.Base.run breaks 5 meta"]
    assert lib(RETYPED, NOW, PUT.format(mine)) == ["parameter-type-changed lib.a.Base.run breaks 7 meta"]


@pytest.mark.parametrize(
    ("old", "new", "mine"),
    [
        pytest.param(RETYPED, NOW, "names", id="a name of its own"),
        pytest.param(RETYPED, NOW, "names: Meta", id="declared as now"),
        pytest.param(RETYPED, NOW.replace("Meta", "set[str] | None"), "ids", id="the same or nothing"),
        pytest.param(RETYPED.replace(": set[str]", ""), NOW, "ids", id="nothing was declared"),
        pytest.param(RETYPED, NOW.replace("base.run(1)", "Base.run(base, 1)"), "ids", id="only the base's own"),
    ],
)  # fmt: skip
def test_another_name_for_what_may_be_the_same(old: str, new: str, mine: str) -> None:
    assert [row for row in lib(old, new, OURS.format(mine)) if "breaks" in row] == []


REST = """
class Base:
    def make(self, size, {}, **rest): ...


class Layer:
    def __init__(self, base: Base):
        given = {{"size": 1, "{}": 2}}
        if base.wide:
            given["more"] = 3
        base.make(**given)
"""
MAKER = "from lib.a import Base\n\n\nclass Mine(Base):\n    def make(self, size, {}, **rest): ...\n"


def test_what_is_passed_by_its_new_name_goes_into_the_rest() -> None:
    old, new = REST.format("part", "part"), REST.format("piece", "piece")
    assert lib(old, new, MAKER.format("part")) == ["parameter-renamed lib.a.Base.make breaks 5 piece"]
    for ours in ("part=1", "piece", "other", "*all"):
        rows = lib(old, new, MAKER.format(ours))
        assert [row for row in rows if row.startswith("parameter-renamed")] == []
    by_place = new.replace("**given)", "1, 2)")
    assert [row for row in lib(old, by_place, MAKER.format("part")) if " breaks " in row] == []
