"""Methods of upstream that are plain values now."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

OLD = "class Base:\n    def fast(self) -> bool:\n        return False\n"
MINE = "from lib.a import Base\n\n\nclass Mine(Base):\n    def fast(self):\n        return True\n"
TOLD = ["method-kind-changed lib.a.Base.fast breaks 5 a value"]


@pytest.mark.parametrize(
    "body",
    ["fast: bool = False", "fast = False", "fast: int", "fast = ('a', 'b')", "fast: dict[str, int] = {}"],
)
def test_a_method_is_taken_for_a_value(body: str) -> None:
    assert compare(OLD, f"class Base:\n    {body}\n", MINE) == TOLD


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("fast = None", id="a place for what comes later"),
        pytest.param("fast = make()", id="a value that is not seen"),
        pytest.param("fast: Callable[[], bool]", id="called as before"),
        pytest.param("fast = other", id="another name of something"),
    ],
)
def test_what_may_be_called_still(body: str) -> None:
    assert compare(OLD, f"class Base:\n    {body}\n", MINE) == []


def test_a_property_is_read_as_before() -> None:
    new = "class Base:\n    fast: bool = False\n"
    mine = MINE.replace("    def", "    @property\n    def")
    assert compare(OLD.replace("    def", "    @property\n    def"), new, mine) == []
