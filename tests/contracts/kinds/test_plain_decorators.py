"""Decorators of upstream's that do not take what stands below them any more."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

PLAIN = "def deco(f):\n    return f\n"
MADE = "def deco(*, name):\n    def put(f):\n        return f\n    return put\n"
HEAD = "from lib.a import deco\nfrom lib import a\n"


@pytest.mark.parametrize(
    ("new", "body"),
    [
        (MADE, "@deco\ndef g(): ...\n"),
        (MADE, "@a.deco\nclass C: ...\n"),
        (MADE, "class C:\n    @deco\n    def g(self): ...\n"),
        ("def deco(f, kind): ...\n", "@deco\nasync def g(): ...\n"),
        ("class deco:\n    def __init__(self, *, name): ...\n", "@deco\ndef g(): ...\n"),
    ],
)
def test_it_takes_no_function_alone(new: str, body: str) -> None:
    assert [row for row in compare(PLAIN, new, HEAD + body) if " breaks " in row]


@pytest.mark.parametrize(
    "new",
    [
        "def deco(f=None, *, name=None): ...\n",
        "def deco(*a): ...\n",
        "def deco(function) -> Callable[..., T]: ...\n",
        "class deco:\n    def __init__(self, f): ...\n",
    ],
)
def test_it_still_does(new: str) -> None:
    assert [row for row in compare(PLAIN, new, HEAD + "@deco\ndef g(): ...\n") if " breaks " in row] == []


def test_a_factory_is_called_itself() -> None:
    old, new = "def deco(name): ...\n", "def deco(name, *, kind=0): ...\n"
    assert compare(old, new, HEAD + "@deco('a')\ndef g(): ...\n") == []
