"""Attributes that upstream's class no longer defines, and whose base from Python's library has them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from syncbot.contracts.attributes.standard_bases import standard_base
from syncbot.contracts.attributes.standard_library import standard_class
from tests.contracts.world import compare, universe

HEAD = "import unittest\nimport threading\nimport json\nimport enum\nimport collections.abc\n"
OLD = HEAD + "class Case({base}):\n    {above}{name}{takes}\n        a = 1\n        print(a)\n"
NEW = HEAD + "class Case({base}):\n    other = 1\n"
BY_SUPER = "from lib.a import Case\nclass Mine(Case):\n    def go(self):\n        return super().{name}\n"
BY_OBJECT = "from lib.a import Case\ndef go(case: Case):\n    return case.{name}\n"
BY_CLASS = "from lib.a import Case\nx = Case.{name}\n"


def told(base: str, name: str, takes: str, use: str, above: str = "") -> list[str]:
    """The verdicts where the class no longer defines the attribute itself."""
    old = OLD.format(base=base, above=above, name=name, takes=takes)
    rows = compare(old, NEW.format(base=base), use.format(name=name.split()[-1]))
    return [row.split()[2] for row in rows]


@pytest.mark.parametrize("use", [BY_SUPER, BY_OBJECT, BY_CLASS])
@pytest.mark.parametrize(
    ("base", "name", "takes", "above", "verdicts"),
    [
        ("unittest.TestCase", "def tearDownClass", "(cls):", "@classmethod\n    ", []),
        ("unittest.TestCase", "def setUp", "(self):", "", []),
        ("threading.Thread", "def join", "(self, timeout=None):", "", []),
        ("json.JSONEncoder", "def default", "(self, o):", "", []),
        ("threading.Thread", "def name", "(self):", "@property\n    ", []),
        ("Exception", "def with_traceback", "(self, tb):", "", ["at-risk"]),
        ("unittest.TestCase", "def tearDownClass", "(self):", "", ["at-risk"]),
        ("unittest.TestCase", "def setUp", "(self, more=1):", "", ["at-risk"]),
        ("unittest.TestCase", "async def setUp", "(self):", "", ["at-risk"]),
        ("threading.Thread", "def join", "(self, limit=None):", "", ["at-risk"]),
        ("unittest.TestCase", "def setUp", "(self):", "@property\n    ", ["breaks"]),
        ("threading.Thread", "def name", "(self):", "", ["breaks"]),
        ("unittest.TestCase", "def tearDownAll", "(cls):", "@classmethod\n    ", ["breaks"]),
        ("unittest.Suite", "def setUp", "(self):", "", ["breaks"]),
        ("far.TestCase", "def setUp", "(self):", "", ["breaks"]),
        ("object", "def setUp", "(self):", "", ["breaks"]),
        ("collections.abc.Mapping", "def register", "(cls, subclass):", "@classmethod\n    ", ["breaks"]),
    ],
)
def test_an_attribute_that_a_standard_base_has(
    base: str, name: str, takes: str, above: str, verdicts: list[str], use: str
) -> None:
    assert told(base, name, takes, use, above) == verdicts


def test_a_method_in_place_of_a_value_is_no_such_thing() -> None:
    old = "import enum\nclass Kind(str, enum.Enum):\n    title = 'a'\n    other = 'b'\n"
    use = "from lib.a import Kind\nx = Kind.title\n"
    rows = compare(old, old.replace("    title = 'a'\n", ""), use)
    assert [row.split()[2] for row in rows] == ["breaks"]


def test_a_renamed_method_may_have_been_meant() -> None:
    old = OLD.format(base="unittest.TestCase", above="", name="def setUp", takes="(self):")
    rows = compare(old, old.replace("setUp", "prepare"), BY_OBJECT.format(name="setUp"))
    assert [row.split()[2] for row in rows] == ["at-risk"]


def test_what_is_only_tested_for_is_still_there() -> None:
    use = "from lib.a import Case\ndef go(case: Case):\n    return hasattr(case, '{name}')\n"
    assert told("unittest.TestCase", "def setUp", "(self):", use) == []
    assert told("unittest.TestCase", "def setUpAll", "(self):", use) == ["at-risk"]


def test_the_base_of_a_class() -> None:
    here = universe("from unittest import TestCase\nclass A(TestCase): ...\nclass B(A, dict): ...\n")
    found = here.resolve("lib.a.B")
    assert found is not None
    names = {name: standard_base(here, found, name) for name in ("setUp", "keys", "size")}
    assert {n: b and b.__name__ for n, b in names.items()} == {
        "setUp": "TestCase",
        "keys": "dict",
        "size": None,
    }


@pytest.mark.parametrize(
    ("name", "found"),
    [
        *(("unittest.TestCase", True), ("dict", True), ("concurrent.futures.Executor", True)),
        *(("collections.abc.Mapping", True), ("unittest.mock.Mock", True), ("unittest.none.Mock", False)),
        *(("far.TestCase", False), ("made", False), ("len", False), ("typing.cast", False)),
        *(("tkinter.Frame", False), ("test.support.X", False), ("unittest.__main__.X", False)),
        *(("a b.C", False), ("threading._Timer", False), ("pytest.Item", False)),
    ],
)
def test_classes_of_the_standard_library(name: str, found: bool) -> None:
    assert (standard_class(name) is not None) is found


def test_a_file_of_the_same_name_is_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "wave.py").write_text("class Error(Exception): ...\nraise SystemExit('run')\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "wave", raising=False)
    standard_class.cache_clear()
    assert standard_class("wave.Error") is None
    assert "wave" not in sys.modules
    standard_class.cache_clear()
