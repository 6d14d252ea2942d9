"""Methods that choose one of several others of their object."""

from __future__ import annotations

import pytest

from syncbot.api.extract import extract


def choices(method: str) -> tuple[tuple[str, ...], ...]:
    (made,) = extract(f"class K:\n{method}".encode()).classes
    return made.choices


@pytest.mark.parametrize(
    "method",
    [
        "    def m(self):\n        if x:\n            return self.a\n        return self.b\n",
        "    def m(self):\n        if x:\n            return self.a\n        else:\n            return made(self.b, 1)\n",
        "    def m(self):\n        if x: return self.wrap(self.a)\n        return self.wrap(self.b)\n",
        "    def m(self):\n        if x:\n            return self.a\n        if y:\n            return self.b\n        return self.a\n",
    ],
)
def test_methods_that_choose(method: str) -> None:
    assert choices(method) == (("a", "b"),) or choices(method) == (("b", "a"),)


@pytest.mark.parametrize(
    "method",
    [
        "    def m(self):\n        return self.a\n",
        "    def m(self):\n        if x:\n            return self.a()\n        return self.b()\n",
        "    def m(self):\n        if x:\n            return self.a\n        return other.b\n",
        "    def m(self):\n        def n():\n            return self.a\n        return self.b\n",
        "    def m(this):\n        if x:\n            return self.a\n        return self.b\n",
    ],
)
def test_methods_that_choose_nothing(method: str) -> None:
    assert choices(method) == ()
