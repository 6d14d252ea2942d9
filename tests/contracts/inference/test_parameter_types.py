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
        ("class Mine(Base):\n    def run(self, item: Any, items, *, other):\n        item.size\n", 4),
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
        "class Mine(Base):\n    def run(self, item: object, items, *, other):\n        item.size\n",
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


DISPATCHING = """
class Layer:
    size = 1

class Operation:
    def __init__(self):
        self.chosen = self.choose()

    def choose(self):
        if here:
            return self.run_here
        return self.run_there

    def run_here(self, *args, **kwargs): ...

    def run_there(self, *args, **kwargs): ...

class Linear(Operation):
    def run_there(self, layer: Layer, x): ...
"""


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        ("def run_here(self, layer, x):", ["attribute-removed core.Layer.size breaks 4"]),
        ("def run_elsewhere(self, layer, x):", []),
        ("def run_here(self, other, x, layer=None):\n        layer = other", []),
    ],
)
def test_what_overrides_a_method_that_says_nothing_is_called_as_the_one_beside_it(
    method: str, expected: list[str]
) -> None:
    plugin = f"from engine.core import Linear\nclass Mine(Linear):\n    {method}\n        layer.size\n"
    found = told(DISPATCHING, DISPATCHING.replace("size = 1", "length = 1"), plugin)
    assert [row for row in found if "size" in row] == expected


def test_where_upstream_chooses_nothing_it_is_not_known() -> None:
    old = DISPATCHING.replace("return self.run", "return self.do")
    plugin = "from engine.core import Linear\nclass Mine(Linear):\n    def run_here(self, layer, x):\n        layer.size\n"
    assert told(old, old.replace("size = 1", "length = 1"), plugin) == []
