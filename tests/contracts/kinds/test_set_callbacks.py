"""Attributes of upstream's objects that the backend sets to functions, and upstream calls otherwise now."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

OLD = "class T:\n    cb = None\n    def run(self):\n        if self.cb is not None:\n            self.cb(1)\n"
SET = OLD.replace("    cb = None", "    def __init__(self):\n        self.cb = None")
METHOD = "class T:\n    def cb(self, x): ...\n    def run(self):\n        self.cb(1)\n"
HEAD = "from lib.a import T\n"


def told(old: str, body: str, now: str = "(1, 2)") -> list[str]:
    """Return the findings where upstream calls the attribute with more arguments."""
    found = compare(old, old.replace("(1)", now), HEAD + body)
    return [row for row in found if row.startswith("callback-called-otherwise lib.a.T.cb breaks")]


@pytest.mark.parametrize(
    ("old", "body"),
    [
        (OLD, "def cb(x): ...\ndef g(t: T):\n    t.cb = cb\n"),
        (SET, "def cb(x): ...\ndef g(t: T):\n    setattr(t, 'cb', cb)\n"),
        (METHOD, "def g(t: T):\n    t.cb = lambda x: 1\n"),
        (SET, "class M(T):\n    def __init__(self):\n        super().__init__()\n        self.cb = self.mine\n    def mine(self, x): ...\n"),
        (METHOD, "import types\ndef cb(self, x): ...\ndef g(t: T):\n    t.cb = types.MethodType(cb, t)\n"),
        (METHOD, "def cb(self, x): ...\ndef g(t: T):\n    t.cb = cb.__get__(t, T)\n"),
        (OLD, "def cb(self, x): ...\nT.cb = cb\n"),
        (OLD, "def cb(x): ...\nT.cb = staticmethod(cb)\n"),
        (OLD, "class M(T):\n    cb = lambda self, x: 1\n"),
        (OLD, "class M(T):\n    def cb(self, x): ...\n"),
    ],
)  # fmt: skip
def test_it_is_called_with_more(old: str, body: str) -> None:
    assert len(told(old, body)) == 1


@pytest.mark.parametrize(
    ("old", "body"),
    [
        pytest.param(OLD, "def cb(x, y=1): ...\ndef g(t: T):\n    t.cb = cb\n", id="it takes more"),
        pytest.param(OLD, "def cb(self, x, y=0): ...\nT.cb = cb\n", id="and with the object"),
        pytest.param(
            OLD,
            "from types import MethodType\ndef cb(self, x, y=0): ...\ndef g(t: T):\n    t.cb = MethodType(cb, t)\n",
            id="bound to it",
        ),
        pytest.param(
            OLD,
            "from types import MethodType\nclass C:\n    def __init__(self, t, x, y): ...\ndef g(t: T):\n"
            "    t.cb = MethodType(C, t)\n",
            id="a class bound to it",
        ),
        pytest.param(OLD, "def cb(x): ...\nT.cb = cb\n", id="never fitted"),
        pytest.param(SET, "def cb(self, x): ...\nT.cb = cb\n", id="each object has its own"),
        pytest.param(OLD, "def cb(x): ...\ndef g(t):\n    t.cb = cb\n", id="of an unknown object"),
        pytest.param(
            OLD,
            "class M(T):\n    def run(self): ...\n    def cb(self, x): ...\n",
            id="what calls it is overridden",
        ),
        pytest.param(
            OLD.replace("self.cb(1)", "self.cb(1)\n    def set(self, f):\n        self.cb = adapt(f)"),
            "def g(t: T):\n    t.cb = lambda x: 1\n",
            id="upstream sets it, too",
        ),
    ],
)
def test_what_is_not_told(old: str, body: str) -> None:
    assert told(old, body) == []


LIST = "class T:\n    def __init__(self):\n        self.cbs = []\n    def go(self):\n        for f in self.cbs:\n"
LIST += "            f(1)\nTABLE = {}\ndef go(n):\n    return TABLE[n](1)\ndef other(n):\n    TABLE['b'](1)\n"


@pytest.mark.parametrize(
    ("body", "symbol"),
    [
        ("def g(t: T):\n    t.cbs.append(lambda x: 1)\n", "T.cbs"),
        ("from lib import a\na.TABLE['a'] = lambda x: 1\n", "TABLE"),
    ],
)
def test_what_is_put_into_a_list_or_dictionary(body: str, symbol: str) -> None:
    new = LIST.replace("(1)", "(1, 2)")
    assert [r.partition(" breaks")[0] for r in compare(LIST, new, HEAD + body)] == [
        f"callback-called-otherwise lib.a.{symbol}"
    ]
    assert compare(LIST, LIST.replace("['b'](1)", "['b'](1, 2)"), HEAD + body) == []
    assert compare(LIST, new, HEAD + body.replace("x:", "x, y=0:")) == []
