"""Constructors that class decorators write: attrs, and those nobody here knows."""

from __future__ import annotations

import pytest

from syncbot.api.extract import extract
from syncbot.api.model import ModuleTable
from syncbot.api.signatures import constructor
from syncbot.api.tree import ModuleTree
from syncbot.api.universe import Universe


class _Tables:
    def get(self, blob: str, read: object) -> ModuleTable:
        return extract(blob.encode())


def _constructor(source: str) -> str | None:
    """Return the parameters of ``lib.C``, or None; blobs are their own texts here."""
    universe = Universe((ModuleTree.of_modules({"lib": ("lib.py", source)}, _Tables(), str.encode),))
    symbol = universe.resolve("lib.C")
    assert symbol is not None
    found = constructor(universe, symbol)
    return None if found is None else str(found[0][0])


@pytest.mark.parametrize(
    ("source", "taken"),
    [
        ("import attr\n@attr.s(repr=False)\nclass C:\n    _a = attr.ib()\n    b = attr.ib(default=1)\n    "
         "c = 3\n", "(a, b=1)"),
        ("import attrs\n@attrs.define\nclass C:\n    a: int\n    b: list = attrs.field(factory=list)\n"
         "    c: int = attrs.field(init=False)\n", "(a, b=list)"),
        ("from attr import ib, s\n@s(auto_attribs=True, kw_only=True)\nclass C:\n    a: int = 2\n", "(*, a=2)"),
        ("import attr\n@attr.s\nclass B:\n    a = attr.ib()\n@attr.s\nclass C(B):\n    b = attr.ib()\n"
         "    @b.default\n    def _b(self):\n        return 1\n", "(a, b=...)"),
        ("import attrs\n@attrs.frozen\nclass C:\n    a: int = attrs.field(alias='first')\n", "(first)"),
        ("import attr\n@attr.s(init=False)\nclass C:\n    a = attr.ib()\n", None),
        ("from maker import record\n@record\nclass C:\n    a: int\n", None),
        ("import functools\n@functools.total_ordering\nclass C:\n    a: int\n", "()"),
        ("def mark(cls):\n    return cls\n@mark\nclass C:\n    a: int\n", "()"),
    ],
)  # fmt: skip
def test_what_a_decorated_class_takes(source: str, taken: str | None) -> None:
    assert _constructor(source) == taken
