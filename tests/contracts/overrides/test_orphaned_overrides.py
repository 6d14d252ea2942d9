"""Overrides of what upstream no longer has, and who asked for them."""

from __future__ import annotations

import pytest

from tests.contracts.compare import told

ASKING = "class Base:\n    @classmethod\n    def kinds(cls): ...\n    @classmethod\n    def make(cls):\n        return cls.kinds()\n"
ASKING_NEW = "class Base:\n    @classmethod\n    def make(cls): ...\n"
ASKED = "from engine.core import Base\nclass Mine(Base):\n    @classmethod\n    def kinds(cls):\n        return find(cls)\n"


@pytest.mark.parametrize(
    ("more", "own", "verdict"),
    [
        pytest.param("", "", "at-risk", id="nobody names who asked"),
        pytest.param("def go():\n    return Base.make()\n", "", "breaks", id="called"),
        pytest.param("NAMES = ['make']\n", "", "breaks", id="spelled"),
        pytest.param("", "Mine.make()\n", "breaks", id="called by the backend"),
        pytest.param("def make_all(): ...\n", "", "at-risk", id="a longer name"),
        pytest.param("def go():\n    return Base.kinds()\n", "", "breaks", id="asked from outside"),
    ],
)
def test_what_asked_for_an_override_was_never_called(more: str, own: str, verdict: str) -> None:
    after = more.replace("return Base.kinds()", "return 1")
    found = [
        row
        for row in told(ASKING + more, ASKING_NEW + after, ASKED + own)
        if row.startswith("method-removed")
    ]
    assert found == [f"method-removed core.Base.kinds {verdict} 4"]
