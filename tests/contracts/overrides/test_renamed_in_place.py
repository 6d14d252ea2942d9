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
