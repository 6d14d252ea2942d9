"""Objects that are tested for being one of an upstream class."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare


@pytest.mark.parametrize(
    "use", ["isinstance(x, C)", "issubclass(x, (int, a.C))", "match x:\n    case C():\n        pass"]
)
def test_a_class_that_became_a_function_is_tested_for(use: str) -> None:
    text = f"from lib import a\nfrom lib.a import C\n{use}\n"
    line = 4 if "case" in use else 3
    rows = compare("class C: ...\n", "def C(): ...\n", text)
    assert f"class-became-function lib.a.C breaks {line}" in rows
    assert compare("class C: ...\n", "class C:\n    x = 1\n", text) == []


@pytest.mark.parametrize(
    ("use", "row"),
    [
        ("from lib import a\nisinstance(x, (a.D, a.C))\n", "attribute-removed lib.a.C breaks 2 C"),
        ("from lib.a import C, D\nisinstance(x, (D, C))\n", "symbol-removed lib.a.C breaks 1"),
    ],
)
def test_a_class_of_several_that_is_gone_is_tested_for(use: str, row: str) -> None:
    old = "class C: ...\nclass D: ...\n"
    assert compare(old, "class D: ...\n", use) == [row]
    assert compare(old, f"{old}class E: ...\n", use) == []


def test_what_is_only_made_is_no_test() -> None:
    rows = compare("class C: ...\n", "def C(): ...\n", "from lib.a import C\nC()\n")
    assert rows == ["class-became-function lib.a.C at-risk 1"]


@pytest.mark.parametrize(
    ("value", "verdict"),
    [("len(x)", True), ("a == b", True), ("n * 2", True), ("make()", False), ("f", False)],
)
def test_a_method_that_became_a_value(value: str, verdict: bool) -> None:
    old = "class C:\n    def size(self): ...\n"
    new = f"class C:\n    def __init__(self):\n        self.size = {value}\n"
    rows = compare(old, new, "from lib.a import C\nC().size()\n")
    assert rows == (["method-became-attribute lib.a.C.size breaks 2"] if verdict else [])


def test_a_class_that_had_two_names() -> None:
    old = "class Part: ...\nOther = Part\n"
    new = "def Part(): ...\nclass Other: ...\n"
    plugin = "from lib.a import {0}\ndef f(x):\n    return isinstance(x, {0})\n"
    assert compare(old, new, plugin.format("Other")) == []
    assert "class-became-function lib.a.Part breaks 3" in compare(old, new, plugin.format("Part"))
