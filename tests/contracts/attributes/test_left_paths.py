"""Attributes that what stands in for a constructor sets on a path that it leaves."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

OLD = "class Base:\n    def __init__(self, t):\n        self.ids = 1\n"
NEW = OLD.replace("ids", "other")
PLUGIN = """from lib.a import Base

original = Base.__init__

def made(self, t):
    if t:
        self.ids = 2
        return
    original(self, t)
    print(self.ids)

Base.__init__ = made
"""


def test_the_other_path_reads_what_nobody_set() -> None:
    assert compare(OLD, NEW, PLUGIN) == [
        "attribute-removed lib.a.Base.ids at-risk 7 ids",
        "attribute-removed lib.a.Base.ids breaks 10 ids",
    ]
    raised = PLUGIN.replace("        return", "        raise ValueError")
    assert "attribute-removed lib.a.Base.ids breaks 10 ids" in compare(OLD, NEW, raised)


@pytest.mark.parametrize(
    "plugin",
    [
        pytest.param(PLUGIN.replace("        return\n", ""), id="goes on"),
        pytest.param(PLUGIN.replace("        return", "        print(self.ids)\n        return").replace(
            "    original(self, t)\n    print(self.ids)\n", ""), id="reads it there"),
        pytest.param(PLUGIN.replace("Base.__init__ = made", "Base.run = made"), id="no constructor"),
        pytest.param(
            PLUGIN + "\ndef later(self: Base):\n    self.ids = 3\n", id="set by another function as well"
        ),
        pytest.param(
            PLUGIN.replace("    print(", "    self.ids = 4\n    print("), id="set on both paths"
        ),
    ],
)  # fmt: skip
def test_what_may_have_been_set(plugin: str) -> None:
    assert [row for row in compare(OLD, NEW, plugin) if "breaks" in row] == []
