"""``type(x)`` and ``x.__class__`` are the class of what ``x`` is an object of."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

OLD = "class Box:\n    size = 1\n\n    def __init__(self, wide): ...\n"
NEW = "class Box:\n    def __init__(self): ...\n"
USE = "from lib.a import Box\n\n\ndef use(box: Box, other):\n    {}\n"


@pytest.mark.parametrize("class_", ["type(box)", "box.__class__", "Box"])
def test_what_is_asked_of_the_class_of_an_object(class_: str) -> None:
    read = compare(OLD, NEW, USE.format(f"{class_}.size"))
    assert read == ["attribute-removed lib.a.Box.size breaks 5 size"]
    called = compare(OLD, NEW, USE.format(f"return {class_}(1)"))
    assert called == ["parameter-removed lib.a.Box.__init__ breaks 5 0"]


@pytest.mark.parametrize("class_", ["type(other)", "other.__class__", "type(Box)", "type(box, (), {})"])
def test_what_is_the_class_of_something_else(class_: str) -> None:
    assert compare(OLD, NEW, USE.format(f"{class_}.size")) == []


STALE = """
from typing import TYPE_CHECKING
if {guard}:
    from lib.{module} import Thing

def f(t: "Thing"):
    return t.gone
"""
THING = "class Thing:\n    gone: int = 1\n"
KEPT = THING.replace("gone", "kept")
LOST = ["attribute-removed lib.a.Thing.gone breaks 6 gone"]


@pytest.mark.parametrize(
    ("guard", "module", "more", "found"),
    [
        pytest.param("TYPE_CHECKING", "old", {}, LOST, id="no such module any more"),
        pytest.param("TYPE_CHECKING", "b", {"lib/b.py": "x = 1\n"}, LOST, id="no such name there"),
        pytest.param("typing.TYPE_CHECKING", "old", {}, LOST, id="by its module"),
        pytest.param("True", "old", {}, [], id="an import that runs"),
        pytest.param("TYPE_CHECKING", "old", {"lib/b.py": "class Thing: ...\n"}, [], id="two of that name"),
        pytest.param("TYPE_CHECKING", "old", {"lib/b.py": "class A:\n  class Thing: ...\n"}, LOST, id="one is inside"),
        pytest.param("TYPE_CHECKING", "b", {"lib/b.py": "class Thing:\n    gone = 1\n"}, [], id="it is there"),
    ],
)  # fmt: skip
def test_what_an_import_for_type_checkers_means_that_leads_nowhere(
    guard: str, module: str, more: dict[str, str], found: list[str]
) -> None:
    old, new = ({"lib/a.py": text} | more for text in (THING, KEPT))
    assert compare(old, new, STALE.format(guard=guard, module=module)) == found


def test_such_a_class_is_still_meant_where_it_moves() -> None:
    plugin = STALE.format(guard="TYPE_CHECKING", module="old")
    assert compare({"lib/a.py": THING}, {"lib/c.py": KEPT}, plugin) == LOST
    assert compare({"lib/a.py": THING}, {"lib/c.py": THING}, plugin) == []
