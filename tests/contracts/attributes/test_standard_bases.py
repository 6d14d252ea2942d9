"""Attributes that upstream's class no longer defines, and whose base from Python's library has them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from syncbot.contracts.attributes.standard_bases import standard_base
from syncbot.contracts.attributes.standard_library import standard_class
from tests.contracts.world import universe


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
