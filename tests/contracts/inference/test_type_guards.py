"""Classes that functions tell of, and that calls give for the ones they pass."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

OLD = """
from typing import Protocol, TypeVar, overload
T = TypeVar("T")
class Model:
    def place(self, tokens, *, grid): ...
class Layer:
    def spec(self): ...
@overload
def can_place(model: type) -> TypeIs[type[Model]]: ...
@overload
def can_place(model: object) -> TypeIs[Model]: ...
def can_place(model): ...
def is_large(model) -> bool: ...
def layers(config, kind: type[T], names=None) -> dict[str, T]: ...
def first(several: list[T]) -> T: ...
def same(thing: T) -> T: ...
def made(kind: Type[T]) -> T: ...
"""
NEW = OLD.replace(", *, grid", "").replace("def spec(self)", "def spec(self, config)")
HEAD = "from lib.a import *\nimport lib.a\n"


@pytest.mark.parametrize(
    "body",
    [
        "def f(m):\n    if can_place(m):\n        m.place(1, grid=2)\n",
        "class C:\n    def f(self):\n        if can_place(self.m):\n            self.m.place(1, grid=2)\n",
        "class Wrapper: ...\ndef f():\n    m = Wrapper()\n    if can_place(m):\n        m.place(1, grid=2)\n",
        "def f(m):\n    if m and lib.a.can_place(m):\n        m.place(1, grid=2)\n",
        "def f(m):\n    if not can_place(m):\n        return\n    else:\n        m.place(1, grid=2)\n",
    ],
)
def test_a_class_that_a_function_tells(body: str) -> None:
    assert [row.partition(" ")[0] for row in compare(OLD, NEW, HEAD + body)] == ["parameter-removed"]


@pytest.mark.parametrize(
    "body",
    [
        "def f():\n    m = Layer()\n    if can_place(m):\n        m.place(1, grid=2)\n",
        "def f(m):\n    if is_large(m):\n        m.place(1, grid=2)\n",
        "def f(m):\n    if can_place(m):\n        pass\n    m.place(1, grid=2)\n",
        "def f(m, n):\n    if can_place(n):\n        m.place(1, grid=2)\n",
        "def f(m):\n    if not can_place(m):\n        m.place(1, grid=2)\n",
        "def f(m):\n    if isinstance(m, str) and can_place(m):\n        m.place(1, grid=2)\n",
    ],
)
def test_a_class_that_nothing_tells(body: str) -> None:
    assert compare(OLD, NEW, HEAD + body) == []


@pytest.mark.parametrize(
    "body",
    [
        "def f(c):\n    for n, one in layers(c, Layer).items():\n        one.spec()\n",
        "def f(c):\n    found = layers(c, kind=Layer)\n    for one in found.values():\n        one.spec()\n",
        "def f(c):\n    found = layers(c, lib.a.Layer)\n    found['x'].spec()\n",
        "def f():\n    same(Layer()).spec()\n",
        "def f():\n    made(Layer).spec()\n",
    ],
)
def test_the_class_that_a_call_passes(body: str) -> None:
    assert [row.partition(" ")[0] for row in compare(OLD, NEW, HEAD + body)] == ["parameter-added"]


@pytest.mark.parametrize(
    "body",
    [
        "def f(c, kind):\n    for n, one in layers(c, kind).items():\n        one.spec()\n",
        "def f(c, *a):\n    for one in layers(*a, Layer).values():\n        one.spec()\n",
        "def f(c):\n    for one in layers(c, Layer()).values():\n        one.spec()\n",
        "def f(c):\n    for one in layers(c, int).values():\n        one.spec()\n",
        "def f():\n    made(Layer()).spec()\n",
    ],
)
def test_a_call_that_passes_no_class_that_is_seen(body: str) -> None:
    assert compare(OLD, NEW, HEAD + body) == []


def test_a_function_that_is_asserted() -> None:
    told = "def f(m):\n    assert can_place(m)\n    m.place(1, grid=2)\n"
    assert [row.partition(" ")[0] for row in compare(OLD, NEW, HEAD + told)] == ["parameter-removed"]
    old = OLD + "class Base:\n    def run(self, m: Model): ...\n"
    new = NEW + "class Base:\n    def run(self, m: Model): ...\n"
    own = "class Own(Base):\n    def run(self, m):\n        assert is_large(m)\n        m.place(1, grid=2)\n"
    assert [row.partition(" ")[0] for row in compare(old, new, HEAD + own)] == ["parameter-removed"]
