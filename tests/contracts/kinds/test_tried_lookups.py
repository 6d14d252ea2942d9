"""Lookups, operators and objects that the code around tries, or asks for before."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

ENUM = "from enum import Enum\nclass E(Enum):\n    GONE = 'gone'\n    B = 'b'\n"
CACHE = "import functools\n@functools.cache\ndef f(): ...\n"
ABC = "from abc import ABC, abstractmethod\nclass T(ABC):\n    def m(self): ...\n"
LEN = "class T:\n    def __len__(self): ...\ndef make() -> T: ...\n"
BOX = "from typing import Generic, TypeVar\nX = TypeVar('X')\nclass B(Generic[X]): ...\n"
CASES = {
    "by name": (
        ENUM,
        ENUM.replace("    GONE = 'gone'\n", ""),
        "E['GONE']",
        "KeyError",
        "'GONE' in E.__members__",
    ),
    "by value": (ENUM, ENUM.replace("    GONE = 'gone'\n", ""), "E('gone')", "ValueError", "'gone' in known"),
    "key": ("T = {'a': 1, 'b': 2}\n", "T = {'b': 2}\n", "T['a']", "KeyError", "'a' in T"),
    "cache": (CACHE, "def f(): ...\n", "f.cache_clear()", "AttributeError", "hasattr(f, 'cache_clear')"),
    "abstract": (ABC, ABC.replace("    def", "    @abstractmethod\n    def"), "T()", "TypeError", None),
    "length": (LEN, "class T: ...\ndef make() -> T: ...\n", "len(make())", "TypeError", None),
    "generic": (BOX, "class B: ...\n", "B[int]", "TypeError", None),
}


@pytest.mark.parametrize(("old", "new", "line", "error", "test"), CASES.values(), ids=CASES)
def test_what_is_tried(old: str, new: str, line: str, error: str, test: str | None) -> None:
    def breaks(body: str) -> list[str]:
        return [row for row in compare(old, new, f"from lib.a import *\n{body}") if " breaks " in row]

    assert len(breaks(f"x = {line}\n")) == 1
    assert breaks(f"try:\n    x = {line}\nexcept {error}:\n    x = None\n") == []
    assert len(breaks(f"try:\n    x = {line}\nexcept OSError:\n    x = None\n")) == 1
    assert test is None or breaks(f"if {test}:\n    x = {line}\n") == []
