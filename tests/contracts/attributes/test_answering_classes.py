"""Attributes that are gone, of classes with a ``__getattr__``."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

LIB = """
{names}
class Layer{base}:
    def __init__(self):
        self.inner = make()
        {sets}
{more}
"""
USE = "from lib.a import Layer\n\n\ndef f(layer: Layer):\n    {}\n"
PASSING = "    def __getattr__(self, name):\n        return getattr(self.inner, name)\n"
RENAMED = "    def __getattr__(self, name):\n        return getattr(self.inner, NAMES[name])\n"


def _lib(sets: str = "", more: str = "", names: str = "", base: str = "") -> str:
    return LIB.format(sets=sets or "pass", more=more, names=names, base=base)


def _verdicts(old: str, new: str, use: str = "return layer.wide") -> list[str]:
    return [row.split()[2] for row in compare(old, new, USE.format(use))]


@pytest.mark.parametrize("base", ["", "(torch.nn.Module)"])
def test_one_that_came_may_answer(base: str) -> None:
    old = _lib("self.wide = 1", base=base)
    assert _verdicts(old, _lib(base=base)) == ["breaks"]
    assert _verdicts(old, _lib(more=PASSING, base=base)) == ["at-risk"]


def test_one_that_says_something_else_may_answer() -> None:
    old, new = _lib("self.wide = 1", PASSING), _lib(more=PASSING.replace("self.inner", "self.outer"))
    assert _verdicts(old, new) == ["at-risk"]


def test_a_table_of_old_names_may_serve_it() -> None:
    old = _lib("self.wide = 1", RENAMED, "NAMES = {'long': 'short'}")
    assert _verdicts(old, _lib(more=RENAMED, names="NAMES = {'long': 'short', 'wide': 'broad'}")) == [
        "at-risk"
    ]
    assert _verdicts(old, _lib(more=RENAMED, names="NAMES = {'long': 'short', 'deep': 'low'}")) == ["breaks"]


def test_one_that_was_there_before_answered_for_other_names() -> None:
    assert _verdicts(_lib("self.wide = 1", PASSING), _lib(more=PASSING)) == ["breaks"]


def test_what_is_called_is_asked_for_as_well() -> None:
    old = _lib(more="    def wide(self): ...\n")
    assert _verdicts(old, _lib(more=PASSING), "layer.wide()") == ["at-risk"]
