"""Calls of methods of what may be of one of several classes."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

LIB = """
class Fast:
    def run(self, a{fast}): ...


class Slow:
    def run(self, a{slow}): ...


class Other: ...
"""
HEAD = "from lib.a import Fast, Other, Slow\n\n\n"
DECLARED = "def go(x: Fast | Slow):\n    return x.run(1, b=2)\n"
GIVEN = "def go(c):\n    x = None\n    if c:\n        x = Fast()\n    else:\n        x = Slow()\n    return x.run(1, b=2)\n"


def _told(fast: str, slow: str, plugin: str) -> list[str]:
    return compare(LIB.format(fast=", b=0", slow=", b=0"), LIB.format(fast=fast, slow=slow), HEAD + plugin)


EACH = "def go(xs: list[Fast] | list[Slow]):\n    return [x.run(1, b=2) for x in xs]\n"
KEYED = "def go(xs: dict[str, Fast] | dict[str, Slow]):\n    return xs['a'].run(1, b=2)\n"
TESTED = "def go(x):\n    if isinstance(x, (Fast, Slow)):\n        return x.run(1, b=2)\n"
BELOW = TESTED.replace("go(x)", "go(x: Other)")
LEFT = "def go(x):\n    if not isinstance(x, (Fast, Slow)):\n        return None\n    return x.run(1, b=2)\n"
PUT = """class Ours:
    def __init__(self, c):
        self.x = None
        if c:
            self.x = Fast()
        else:
            self.x = Slow()

    def go(self):
        return self.x.run(1, b=2)
"""


@pytest.mark.parametrize("plugin", [DECLARED, GIVEN, EACH, KEYED, PUT, TESTED, BELOW, LEFT])
def test_a_call_that_fits_no_class(plugin: str) -> None:
    line = 3 + len(plugin.splitlines())
    assert _told("", "", plugin) == [
        f"parameter-removed lib.a.Fast.run breaks {line} b",
        f"parameter-removed lib.a.Slow.run breaks {line} b",
    ]


@pytest.mark.parametrize("plugin", [DECLARED, GIVEN, PUT, TESTED])
def test_a_call_that_fits_one_of_them(plugin: str) -> None:
    line = 3 + len(plugin.splitlines())
    assert _told("", ", b=0", plugin) == [f"parameter-removed lib.a.Fast.run at-risk {line} b"]


@pytest.mark.parametrize(
    "plugin",
    [
        DECLARED.replace(", b=2", ""),
        DECLARED.replace("Fast | Slow", "Fast | Unknown"),
        DECLARED.replace("x: Fast | Slow", "x"),
        GIVEN.replace("x = None", "x = 1"),
        "def go(c):\n    x = Slow()\n    x = Fast() if c else Slow()\n    return x.run(1)\n",
        "def go(c):\n    x = Slow()\n    if c:\n        x = Other()\n    return x.run(1, b=2)\n",
        GIVEN.replace("def go(c):", "def go(c, x):"),
        PUT.replace("= Slow()", "= c.made()").replace("= Fast()", "= c"),
        TESTED.replace("Slow)", "Unknown)"),
        TESTED.replace("(x, (", "(x.y, ("),
        TESTED.replace("Slow)", "Slow, int)"),
        PUT.replace("self.x = None", "self.x: object = None"),
        PUT.replace("    def go", "    @property\n    def x(self):\n        return self\n\n    def go"),
    ],
)
def test_what_fits_or_is_not_known(plugin: str) -> None:
    assert _told("", "", plugin) == []


@pytest.mark.parametrize("plugin", [DECLARED.replace("Slow", "Other"), PUT.replace("= Slow()", "= Other()")])
def test_a_class_that_never_had_the_method(plugin: str) -> None:
    line = 3 + len(plugin.splitlines())
    assert _told("", "", plugin) == [f"parameter-removed lib.a.Fast.run at-risk {line} b"]


def test_an_attribute_of_what_is_given() -> None:
    gone = LIB.format(fast="", slow="").replace("def run", "def go")
    told = compare(LIB.format(fast="", slow=""), gone, HEAD + GIVEN.replace(", b=2", ""))
    assert [row.split()[:3] for row in told] == [
        ["attribute-removed", "lib.a.Fast.run", "breaks"],
        ["attribute-removed", "lib.a.Slow.run", "breaks"],
    ]


@pytest.mark.parametrize(
    ("slow", "expected"),
    [("Result", ["attribute-removed lib.a.Result.size breaks 5 size"]), ("Other", [])],
)
def test_an_attribute_of_what_all_of_them_give(slow: str, expected: list[str]) -> None:
    lib = (
        "class Result:\n    def __init__(self):\n        self.{} = 1\n\n\nclass Other: ...\n\n\n"
        "class Fast:\n    def run(self) -> Result: ...\n\n\n"
        f"class Slow:\n    def run(self) -> {slow}: ...\n"
    )
    plugin = "from lib.a import Fast, Slow\n\n\ndef go(x: Fast | Slow):\n    return x.run().size\n"
    assert compare(lib.format("size"), lib.format("width"), plugin) == expected


def test_a_class_whose_method_never_took_it() -> None:
    never = "class Never:\n    def run(self, a): ...\n"
    plugin = "from lib.a import Fast, Never\n\n\ndef go(x: Fast | Never):\n    return x.run(1, b=2)\n"
    old, new = LIB.format(fast=", b=0", slow="") + never, LIB.format(fast="", slow="") + never
    assert compare(old, new, plugin) == ["parameter-removed lib.a.Fast.run breaks 5 b"]


CALLED = PUT.replace("self.x.run(1, b=2)", "self.x(1, b=2)")


@pytest.mark.parametrize(
    ("method", "head"), [("__call__", ""), ("forward", "import torch.nn as nn\n")], ids=["call", "module"]
)
def test_objects_that_are_called_themselves(method: str, head: str) -> None:
    lib = head + LIB.replace("run", method)
    lib = lib.replace("Fast:", "Fast(nn.Module):").replace("Slow:", "Slow(nn.Module):") if head else lib
    old = lib.format(fast=", b=0", slow=", b=0")
    line = 3 + len(CALLED.splitlines())
    assert compare(old, lib.format(fast="", slow=""), HEAD + CALLED) == [
        f"parameter-removed lib.a.Fast.{method} breaks {line} b",
        f"parameter-removed lib.a.Slow.{method} breaks {line} b",
    ]
    assert compare(old, old, HEAD + CALLED) == []
    assert compare(old, lib.format(fast="", slow=""), HEAD + CALLED.replace(", b=2", "")) == []
