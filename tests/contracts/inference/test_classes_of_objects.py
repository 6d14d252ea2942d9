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
