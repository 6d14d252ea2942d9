"""Containers that the backend puts into upstream's objects, and what upstream asks them for."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

LIB = """
class Worker:
    def __init__(self):
        self.failed = {made}

    def add(self, key):
        self.failed.{add}(key)

    def finish(self):
        {finish}
"""
OLD = LIB.format(made="set()", add="add", finish="self.failed.clear()")
NEW = LIB.format(made="Queue()", add="put", finish="self.failed.clear()")
DERIVED = """
from lib.a import Worker


class Mine(Worker):
    def __init__(self):
        {before}
        self.failed = {made}
        {after}
"""
PLACED = """
from lib.a import Worker


def begin(self):
    self.failed: set[str] = set()


Worker.__init__ = begin
"""
BREAKS = "attribute-type-changed lib.a.Worker.failed breaks 5 failed"


def _told(old: str, new: str, plugin: str) -> list[str]:
    return [row for row in compare(old, new, plugin) if row.startswith("attribute-type")]


def test_a_function_in_the_place_of_the_constructor() -> None:
    assert _told(OLD, NEW, PLACED) == [BREAKS]


def test_a_constructor_of_a_class_that_derives() -> None:
    plugin = DERIVED.format(before="super().__init__()", made="set()", after="")
    assert compare(OLD, NEW, plugin) == [BREAKS.replace("5", "7")]


@pytest.mark.parametrize(
    ("new", "plugin"),
    [
        pytest.param(NEW, DERIVED.format(before="", made="set()", after="super().__init__()"),
            id="upstream sets it after that"),
        pytest.param(NEW, DERIVED.format(before="super().__init__()", made="Other()", after=""),
            id="something of our own"),
        pytest.param(NEW.replace("put", "discard"), PLACED, id="it has that too"),
        pytest.param(NEW.replace("self.failed.put(key)", "self.failed = 1; self.failed.put(key)"), PLACED,
            id="set before it is asked"),
        pytest.param(NEW.replace("self.failed.put(key)", "hasattr(self.failed, 'put') and self.failed.put(1)"),
            PLACED, id="tested"),
        pytest.param(NEW, PLACED + "def add(self, key): ...\n\n\nWorker.add = add\n", id="who asks is replaced too"),
    ],
)  # fmt: skip
def test_what_goes_well(new: str, plugin: str) -> None:
    assert _told(OLD, new, plugin) == []


@pytest.mark.parametrize("made", ["[]", "{}", "list()", "{k: 1 for k in ()}", "[k for k in ()]", "{1}"])
def test_other_containers(made: str) -> None:
    old, new = (
        lib.replace("self.failed.add", f"self.failed.{ask}") for lib, ask in ((OLD, "copy"), (NEW, "put"))
    )
    plugin = DERIVED.format(before="super().__init__()", made=made, after="")
    assert _told(old, new, plugin) == [BREAKS.replace("5", "7")]


def test_what_was_asked_for_before_is_no_news() -> None:
    old = NEW.replace("self.failed.clear()", "pass")
    assert _told(old, NEW, PLACED) == []
