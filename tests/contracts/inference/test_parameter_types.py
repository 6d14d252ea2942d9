"""A parameter without an annotation is what upstream's own function, which this one stands for, says it is."""

from __future__ import annotations

import pytest

from tests.contracts.compare import told

OLD = """
from tools.parts import Part

class Item(Part):
    size = 1

class Base:
    def run(self, item: Item, items: list[Item], *, other): ...

@hookspec(firstresult=True)
def engine_collect(item: "Item | None"): ...

def engine_start(item: Item): ...
"""
NEW = OLD.replace("size = 1", "length = 1")


def use(body: str) -> str:
    """A module of the backend."""
    return f"from engine.core import Base, hookimpl\n{body}"


@pytest.mark.parametrize(
    ("body", "line"),
    [
        ("class Mine(Base):\n    def run(self, item, items, *, other):\n        item.size\n", 4),
        ("class Mine(Base):\n    def run(self, item, items, *, other):\n        items[0].size\n", 4),
        ("class Mid(Base):\n    def run(self, item, items): ...\nclass Mine(Mid):\n"
         "    def run(self, item, items):\n        item.size\n", 6),
        ("class Mine(Base):\n    def run(self, item: 'Itm', items, *, other):\n        item.size\n", 4),
        ("from tools import parts\nclass Mine(Base):\n    def run(self, item: parts.Part, items, *, other):\n"
         "        item.size\n", 5),
        ("class Mine(Base):\n    def run(self, item: Any, items: object, *, other):\n        item.size\n", 4),
        ("def engine_collect(item):\n    item.size\n", 3),
        ("@hookimpl(tryfirst=True)\ndef engine_collect(item):\n    item.size\n", 4),
        ("class Plugin:\n    @hookimpl\n    def engine_collect(self, item):\n        item.size\n", 5),
    ],
)  # fmt: skip
def test_the_type_comes_from_what_is_overridden_or_implemented(body: str, line: int) -> None:
    """By the parameter's name: an override, an override of an override, a hook with and without a mark."""
    assert told(OLD, NEW, use(body)) == [f"attribute-removed core.Item.size breaks {line}"]


@pytest.mark.parametrize(
    "body",
    [
        "class Mine(Base):\n    def run(self, item, items, *, other):\n        other.size\n",
        "class Mine(Base):\n    def run(self, thing, items, *, other):\n        thing.size\n",
        "class Mine(Base):\n    def run(self, item: str, items, *, other):\n        item.size\n",
        "class Mine(Base):\n    def run(self, item, items, *, other):\n        item = other\n        item.size\n",
        "from tools.parts import Whole\nclass Mine(Base):\n    def run(self, item: Whole, items, *, other):\n"
        "        item.size\n",
        "class Own: ...\nclass Mine(Base):\n    def run(self, item: Own, items, *, other):\n        item.size\n",
        "class Mine(Base):\n    def run(self, item: 'Itm', items, *, other):\n        item = other\n"
        "        item.size\n",
        "class Mine(Base):\n    def walk(self, item):\n        item.size\n",
        "class Other:\n    def run(self, item, items, *, other):\n        item.size\n",
        "def engine_start(item):\n    item.size\n",
        "@fixture\ndef engine_collect(item):\n    item.size\n",
        "def outer():\n    def engine_collect(item):\n        item.size\n",
    ],
)
def test_a_parameter_of_something_else_is_not_known(body: str) -> None:
    """Another name, its own annotation, a new value, a function that nothing upstream models."""
    assert told(OLD, NEW, use(body)) == []
