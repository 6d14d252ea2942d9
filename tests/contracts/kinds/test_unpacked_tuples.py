"""Named tuples that gained or lost a field."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

OLD = """
from typing import NamedTuple


class State(NamedTuple):
    a: int
    b: int


class Plain:
    a: int
    b: int


class Runner:
    def __init__(self):
        self.state: State | None = None
        self.plain: Plain | None = None
"""
NEW = OLD.replace("    b: int\n", "    b: int\n    c: int\n")
PLUGIN = """
from lib.a import Runner


class Mine(Runner):
    def run(self):
        (x, y) = self.state
"""
LOCAL = "from lib.a import State\n\n\ndef run(state: State):\n    x, y = state\n"


@pytest.mark.parametrize(("backend", "line"), [(PLUGIN, 6), (LOCAL, 5)])
def test_a_field_more_does_not_unpack(backend: str, line: int) -> None:
    assert compare(OLD, NEW, backend) == [f"return-shape-changed lib.a.State breaks {line}"]


@pytest.mark.parametrize(
    ("new", "backend"),
    [
        pytest.param(NEW, PLUGIN.replace("state", "plain"), id="no tuple"),
        pytest.param(NEW, PLUGIN.replace("(x, y)", "x, *y"), id="takes any number"),
        pytest.param(NEW, PLUGIN.replace("(x, y)", "x, y, z"), id="did not fit before"),
        pytest.param(NEW, PLUGIN.replace("self.state", "self.state[:2]"), id="a part of it"),
        pytest.param(OLD.replace("a: int", "first: int"), PLUGIN, id="only a name"),
    ],
)
def test_what_unpacks_still(new: str, backend: str) -> None:
    assert [row for row in compare(OLD, new, backend) if "breaks" in row] == []
