"""Functions that an expression of the backend makes, put in the place of a method of upstream's."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

OLD = """
class T:
    def m(self, x): ...
    @staticmethod
    def s(x): ...
    @property
    def p(self): ...
    def run(self):
        return self.m(1)
def f(x): ...
"""
NEW = """
class T:
    def m(self, x, y): ...
    @staticmethod
    def s(x, y): ...
    def p(self): ...
    def run(self):
        return self.m(1, 2)
def f(x, y): ...
"""
HEAD = "import functools\nfrom lib import a\nfrom lib.a import T\n"
WRAP = "def wrap(orig):\n    {}def inner(self, {}):\n        return orig(self)\n    return {}\n"
TAKES = WRAP.format("", "x", "inner") + "T.m = wrap(T.m)\n"


@pytest.mark.parametrize(
    ("plugin", "symbol"),
    [
        ("T.m = lambda self, x: 1\n", "T.m"),
        (TAKES, "T.m"),
        (WRAP.format("@functools.wraps(orig)\n    ", "x", "inner") + "T.m = wrap(T.m)\n", "T.m"),
        (WRAP.format("", "x", "functools.wraps(orig)(inner)") + "T.m = wrap(T.m)\n", "T.m"),
        (WRAP.format("", "x", "functools.update_wrapper(inner, orig)") + "new = wrap(T.m)\nT.m = new\n", "T.m"),
        ("def apply():\n    make = lambda self, x: 1\n    T.m = make\n", "T.m"),
        (
            "def two(flag):\n    def wrap(orig):\n        def inner(self, x): ...\n        return inner\n"
            "    return wrap\nT.m = two(True)(T.m)\n",
            "T.m",
        ),
        # What is wrapped already is left as it is.
        (
            TAKES.replace("    def inner", "    if getattr(orig, 'mine', False):\n        return orig\n    def inner", 1),
            "T.m",
        ),
        ("def new(self, x): ...\nT.m = functools.partialmethod(new)\n", "T.m"),
        ("def new(x): ...\nT.s = staticmethod(new)\n", "T.s"),
        ("def new(k, x): ...\na.f = functools.partial(new, 1)\n", "f"),
        ("def new(x, *, k): ...\na.f = functools.partial(new, k=1)\n", "f"),
        ("class W:\n    def __init__(self, f): ...\n    def __call__(self, x): ...\na.f = W(a.f)\n", "f"),
    ],
)  # fmt: skip
def test_what_is_made_does_not_take_what_upstream_requires_now(plugin: str, symbol: str) -> None:
    line = HEAD.count("\n") + next(
        at for at, row in enumerate(plugin.splitlines(), 1) if row.lstrip().startswith(("T.", "a."))
    )
    assert compare(OLD, NEW, HEAD + plugin) == [f"parameter-required lib.a.{symbol} breaks {line} y"]


def test_a_property_that_is_made_of_a_function() -> None:
    plugin = HEAD + "def new(self): ...\nT.p = property(new)\n"
    assert compare(OLD, NEW, plugin) == ["method-kind-changed lib.a.T.p breaks 5 a property"]


@pytest.mark.parametrize(
    "plugin",
    [
        "T.m = lambda self, x, y=1: 1\n",
        WRAP.format("", "*args, **more", "inner") + "T.m = wrap(T.m)\n",
        # Something else may come out of it.
        WRAP.format("", "x", "inner if orig else orig") + "T.m = wrap(T.m)\n",
        WRAP.format("", "x", "other(inner)") + "T.m = wrap(T.m)\n",
        WRAP.format("@adapting\n    ", "x", "inner") + "T.m = wrap(T.m)\n",
        "@adapting\n" + TAKES,
        TAKES.replace("    return inner", "    if orig:\n        return orig\n    return inner"),
        TAKES.replace("    return inner", "    inner = other(inner)\n    return inner"),
        TAKES.replace("def wrap", "async def wrap"),
        "if a:\n    new = lambda self, x: 1\nelse:\n    new = lambda self, x, y: 1\nT.m = new\n",
        "def apply(make):\n    T.m = make\nmake = lambda self, x: 1\n",
        "def new(k, x, y): ...\na.f = functools.partial(new, 1)\n",
        "def new(x, y, *, k): ...\na.f = functools.partial(new, k=1)\n",
        "def new(*args, k, **kw): ...\na.f = functools.partial(new, 1, k=2)\n",
        "def new(k, x): ...\na.f = functools.partial(new, *a.more)\n",
        # It did not fit before.
        "T.m = lambda: 1\n",
        "class W:\n    def __call__(self): ...\na.f = W()\n",
        "class W:\n    @adapting\n    def __call__(self, x): ...\na.f = W()\n",
    ],
)
def test_what_is_made_takes_it_or_may_be_something_else(plugin: str) -> None:
    assert [row for row in compare(OLD, NEW, HEAD + plugin) if " at-risk " not in row] == []


def test_what_a_lambda_gives_has_the_former_length() -> None:
    old = "class T:\n    def m(self):\n        return 1, 2\n"
    plugin = HEAD + "T.m = lambda self: (1, 2)\n"
    assert compare(old, old.replace("2", "2, 3"), plugin) == ["return-shape-changed lib.a.T.m breaks 4"]
    assert compare(old, old.replace("2", "2, 3"), plugin.replace("2)", "2, 3)")) == []
