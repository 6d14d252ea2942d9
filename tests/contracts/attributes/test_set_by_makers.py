"""Attributes of upstream's objects that the backend's own makers of such objects set on them."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

OLD = """
class Layer:
    def __init__(self):
        self.weight = 1
        self.bias = 2
"""
NEW = OLD.replace("        self.weight = 1\n", "")
CLOSED = NEW.replace("class Layer:", "class Layer:\n    __slots__ = ('bias',)\n")
MINE = """
from lib.a import Layer


def make() -> Layer:
    layer = Layer.__new__(Layer)
    for name in ("weight", "bias"):
        setattr(layer, name, 0)
    return layer


def use():
    return make().weight
"""
SET = '    for name in ("weight", "bias"):\n        setattr(layer, name, 0)\n'


def verdict(mine: str, new: str = NEW) -> str:
    (found,) = {row.split()[2] for row in compare(OLD, new, mine) if "lib.a.Layer.weight" in row}
    return found


@pytest.mark.parametrize(
    "written",
    [
        pytest.param(SET, id="in a loop"),
        pytest.param("    setattr(layer, 'weight', 0)\n", id="by a text"),
        pytest.param("    layer.weight = 0\n", id="by name"),
        pytest.param(SET.replace("weight", "other") + "    layer.weight = 0\n", id="by name as well"),
    ],
)
def test_what_makes_an_object_sets_it(written: str) -> None:
    assert verdict(MINE.replace(SET, written)) == "at-risk"


@pytest.mark.parametrize(
    ("written", "new"),
    [
        pytest.param("    layer.bias = 0\n", NEW, id="another attribute"),
        pytest.param(SET.replace('"weight", ', ""), NEW, id="others in a loop"),
        pytest.param("    for name in names:\n        setattr(layer, name, 0)\n", NEW, id="in an unknown loop"),
        pytest.param(SET.replace("layer", "other"), NEW, id="on something else"),
        pytest.param("    if flag:\n        layer.weight = 0\n", NEW, id="not always"),
        pytest.param(SET + "    if flag:\n        return None\n", NEW, id="not what is returned"),
        pytest.param(SET, CLOSED, id="no room for it"),
    ],
)  # fmt: skip
def test_nobody_is_sure_to_set_it(written: str, new: str) -> None:
    assert verdict(MINE.replace(SET, written), new) == "breaks"
