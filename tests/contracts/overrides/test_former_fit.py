"""Overrides that upstream called with what they do not take before it changed anything."""

from __future__ import annotations

import pytest

from tests.contracts.compare import told

BASE = "class Base:\n    def run(self, x, y): ...\n"
CALL = "def drive(base: Base):\n    return base.run(1)\n"
MINE = "from engine.core import Base\nclass Mine(Base):\n    def run(self, x, y):\n        return x\n"


@pytest.mark.parametrize(
    ("before", "verdict"),
    [
        pytest.param("x=1, y=2, kind=3", "at-risk", id="never as ours takes it"),
        pytest.param("x=1, y=2", "breaks", id="as ours takes it"),
        pytest.param("x=1, kind=3", "breaks", id="something else of that name"),
        pytest.param("x=1, y=2, kind=3)\n    base.run(1, 2", "breaks", id="one of two as ours takes it"),
    ],
)
def test_an_override_that_upstream_called_otherwise_already(before: str, verdict: str) -> None:
    """A base that only declares a method need not declare all that is passed to its subclasses."""
    new = BASE.replace("y)", "y, kind=0, more=0)") + CALL.replace("(1)", "(x=1, y=2, kind=3, more=4)")
    found = told(BASE + CALL.replace("(1)", f"({before})"), new, MINE)
    assert found == [f"parameter-added core.Base.run {verdict} 3"]
