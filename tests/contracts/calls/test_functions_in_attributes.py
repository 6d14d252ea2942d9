"""Functions that attributes of the backend's own objects hold, and that are called through these."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

OLD = "def f(x, gone=1): ...\ndef other(*a, **k): ...\nclass C:\n    def m(self, x, gone=1): ...\n"
NEW = "def f(x): ...\ndef other(*a, **k): ...\nclass C:\n    def m(self, x): ...\n"
HEAD = "from lib import a\nfrom lib.a import C, f, other\n\n\nclass Own:\n"
CALL = "    def run(self):\n        return self.h(1, gone=2)\n"


@pytest.mark.parametrize(
    ("body", "symbol"),
    [
        ("    def __init__(self):\n        self.h = f\n", "f"),
        ("    def __init__(self):\n        self.h = a.f\n", "f"),
        ("    def __init__(self):\n        self.h = None\n    def begin(self):\n        self.h = f\n", "f"),
        ("    def __init__(self, c: C):\n        self.h = c.m\n", "C.m"),
        ("    def __init__(self):\n        self.c = C()\n        self.h = self.c.m\n", "C.m"),
        ("    h = staticmethod(f)\n", "f"),
        ("    @property\n    def h(self):\n        return f\n", "f"),
        ("    @property\n    def h(self):\n        from lib.a import f as g\n        return g\n", "f"),
    ],
)
def test_what_is_held_is_called(body: str, symbol: str) -> None:
    (row,) = compare(OLD, NEW, HEAD + body + CALL)
    kind, called, verdict, _, subject = row.split()
    assert (kind, called, verdict, subject) == ("parameter-removed", f"lib.a.{symbol}", "breaks", "gone")


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("    def __init__(self, h=f):\n        self.h = h\n", id="a parameter"),
        pytest.param("    def __init__(self):\n        self.h = f if v else other\n", id="one of two"),
        pytest.param("    def __init__(self):\n        f = wrap(a)\n        self.h = f\n", id="own variable"),
        pytest.param(
            "    def __init__(self):\n        self.h = f\n    def set(self):\n        self.h = make()\n",
            id="something else as well",
        ),
        pytest.param("    h = f\n", id="a method: the object comes first, which never fitted"),
        pytest.param("    def __init__(self):\n        self.h = wrap(f)\n", id="wrapped"),
        pytest.param("    @property\n    def h(self):\n        return f if v else other\n", id="chosen"),
    ],
)
def test_what_may_be_something_else_is_not_told(body: str) -> None:
    assert [row for row in compare(OLD, NEW, HEAD + body + CALL) if "breaks" in row] == []


def test_what_the_module_sets_from_outside_may_be_called() -> None:
    body = "    def __init__(self):\n        self.h = f\n"
    assert compare(OLD, NEW, f"{HEAD}{body}{CALL}\n\ndef change(own, g):\n    own.h = g\n") == []


def test_a_function_in_a_class_body_takes_the_object_first() -> None:
    old, new = "def f(own, x, gone=1): ...\n", "def f(own, x): ...\n"
    plugin = f"from lib.a import f\n\n\nclass Own:\n    h = f\n{CALL}"
    assert compare(old, new, plugin) == ["parameter-removed lib.a.f breaks 7 gone"]
