"""Ways in which a program says of what class its objects are."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

OLD = """
from typing import *
T = TypeVar("T")
B = TypeVar("B", bound="Thing")
class Thing:
    gone: int = 1
class Box(Generic[T]):
    item: T
class Bound(Generic[B]):
    item: B
    @property
    def made(self) -> B: ...
class Holder:
    things: list[Thing]
    by_name: dict[str, Thing]
class Mine(Box[Thing]): ...
def make() -> Thing: ...
def other() -> int: ...
"""
NEW = OLD.replace("gone: int", "kept: int")
HEAD = "import typing\nfrom typing import *\nfrom lib.a import *\n"
TOLD = [
    "def f(y):\n    if not isinstance(y, Thing):\n        return\n    def g():\n        return y.gone\n    return g\n",
    "def f(y):\n    x = cast('Thing', y)\n    return x.gone\n",
    "def f(y):\n    return typing.cast(Thing, y).gone\n",
    "def f(y):\n    for x in typing.cast('list[Thing]', y):\n        x.gone\n",
    "def f(y):\n    for x in cast('list[Thing]', y):\n        x.gone\n",
    "def f(h: Holder):\n    xs = [x for x in h.things if x]\n    return xs[0].gone\n",
    "def f(q):\n    for x in [make() for _ in q]:\n        x.gone\n",
    "def f(h: Holder):\n    xs = {n: x for n, x in h.by_name.items()}\n    return xs['a'].gone\n",
    "def f(h: Holder):\n    return next((x for x in h.things if x), None).gone\n",
    "def f(h: Holder):\n    return max(h.things, key=len).gone\n",
    "def f(h: Holder):\n    for x in filter(None, h.things):\n        x.gone\n",
    "def f(h: Holder):\n    for x in chain(h.things, h.things):\n        x.gone\n",
    "def f():\n    xs = [make(), make()]\n    return xs[0].gone\n",
    "def f(q):\n    xs = []\n    for _ in q:\n        xs.append(make())\n    return xs[0].gone\n",
    "def f(*xs: Thing):\n    return xs[0].gone\n",
    "def f(**xs: Thing):\n    return xs['a'].gone\n",
    "def f(y):\n    if not isinstance(y, Thing):\n        return\n    return y.gone\n",
    "def f(y):\n    if y is None or not isinstance(y.x, Thing):\n        raise ValueError\n    return y.x.gone\n",
    "def f(q):\n    for y in q:\n        if not isinstance(y, Thing):\n            continue\n        y.gone\n",
    "class C:\n    def __init__(self):\n        self.x, self.y = make(), 1\n    def g(self):\n        return self.x.gone\n",
    "class C:\n    def __init__(self, q):\n        self.x = [make() for _ in q]\n    def g(self):\n        return self.x[0].gone\n",
    "def f(m: Mine):\n    return m.item.gone\n",
    "class C(Box[Thing]):\n    def g(self):\n        return self.item.gone\n",
    "class D(Box[T]): ...\nclass C(D[int], Box[Thing]):\n    def g(self):\n        return self.item.gone\n",
    "class C(Bound):\n    def g(self):\n        return self.item.gone\n",
    "class Other(Thing): ...\nclass C(Bound[Other]):\n    def g(self):\n        return self.made.gone\n",
]
NOT_TOLD = [
    "def f(y):\n    if not isinstance(y, Thing):\n        return\n    def g(y):\n        return y.gone\n    return g\n",
    "def f(y):\n    if not isinstance(y, Thing):\n        return\n    return lambda y: y.gone\n",
    "def f(y, q):\n    if not isinstance(y, Thing):\n        return\n    return [y.gone for y in q]\n",
    "def f(y):\n    x = y.cast(Thing, y)\n    return x.gone\n",
    "def f(h: Holder):\n    xs = [y for x in h.things]\n    return xs[0].gone\n",
    "def f(h: Holder):\n    xs = {x: n for n, x in h.by_name.items()}\n    return xs['a'].gone\n",
    "def f(h: Holder):\n    return max(h.things, h.things).gone\n",
    "def f():\n    xs = [make(), other()]\n    return xs[0].gone\n",
    "def f(q):\n    xs = []\n    xs.append(q)\n    xs.append(make())\n    return xs[0].gone\n",
    "def f(q):\n    xs = q()\n    xs.append(make())\n    return xs[0].gone\n",
    "def f(*xs: Thing):\n    return xs.gone\n",
    "def f(y):\n    if not isinstance(y, Thing):\n        print(y)\n    return y.gone\n",
    "def f(y):\n    if isinstance(y, Thing):\n        return\n    return y.gone\n",
    "def f(y):\n    if not isinstance(y, Thing) and y:\n        return\n    return y.gone\n",
    "def f(y):\n    if not isinstance(y, Thing):\n        return\n    y = y.inner()\n    return y.gone\n",
    "def f(y):\n    if y:\n        if not isinstance(y, Thing):\n            return\n    return y.gone\n",
    "class C:\n    def __init__(self):\n        self.x, self.y = 1, make()\n    def g(self):\n        return self.x.gone\n",
    "class C:\n    def __init__(self):\n        self.x, *self.y = make(), 1\n    def g(self):\n        return self.y.gone\n",
    "class C(Box[int]):\n    def g(self):\n        return self.item.gone\n",
    "class C(Box):\n    def g(self):\n        return self.item.gone\n",
    "class C(Box[T]):\n    def g(self):\n        return self.item.gone\n",
]


@pytest.mark.parametrize("body", TOLD)
def test_a_class_that_is_seen(body: str) -> None:
    assert [row.split()[:3] for row in compare(OLD, NEW, HEAD + body)] == [
        ["attribute-removed", "lib.a.Thing.gone", "breaks"]
    ]


@pytest.mark.parametrize("body", NOT_TOLD)
def test_a_class_that_is_not_seen(body: str) -> None:
    assert [row for row in compare(OLD, NEW, HEAD + body) if "breaks" in row] == []
