"""A base that a class calls by its name has to be one still."""

from __future__ import annotations

import pytest

from tests.contracts.compare import told

OLD = """
class Op:
    def __init__(self):
        super().__init__()
    def plain(self): ...
    @staticmethod
    def free(x):
        return super(Op, x)

class Other: ...

class Mixer(Op): ...

class Deep(Mixer): ...
"""
NEW = OLD.replace("Mixer(Op)", "Mixer(Other)")
HEAD = "from engine.core import Deep, Mixer, Op, Other\n"
TOLD = ["type-changed core.Op breaks 4"]


@pytest.mark.parametrize(
    ("base", "call"),
    [
        ("Mixer", "Op.__init__(self)"),
        ("Deep", "Op.__init__(self)"),
        ("Mixer", "super(Op, self).__init__()"),
        ("Mixer", "return super(Op, self).plain()"),
    ],
)
def test_what_is_no_base_any_more_cannot_be_called_as_one(base: str, call: str) -> None:
    plugin = f"{HEAD}class Mine({base}):\n    def __init__(self):\n        {call}\n"
    assert told(OLD, NEW, plugin) == TOLD


@pytest.mark.parametrize(
    ("base", "call"),
    [
        ("Op", "Op.__init__(self)"),
        ("Mixer, Op", "Op.__init__(self)"),
        ("Mixer", "Mixer.__init__(self)"),
        ("Mixer", "super().__init__()"),
        ("Mixer", "Op.plain(self)"),
        ("Other", "Op.__init__(self)"),
        ("Mixer", "Op.__init__(other)"),
        ("Mixer", "Op.free(1)"),
    ],
)
def test_what_is_a_base_still_or_asks_for_nothing_behind_it(base: str, call: str) -> None:
    plugin = f"{HEAD}class Mine({base}):\n    def __init__(self, other=None):\n        {call}\n"
    assert [row for row in told(OLD, NEW, plugin) if row.startswith("type-changed")] == []


def test_an_upstream_that_stays_tells_nothing() -> None:
    plugin = f"{HEAD}class Mine(Mixer):\n    def __init__(self):\n        Op.__init__(self)\n"
    assert told(OLD, OLD, plugin) == []
    assert told(OLD, OLD.replace("class Op", "class Older: ...\n\nclass Op"), plugin) == []
