"""Functions that built-in functions are handed to call with so many arguments."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

OLD = "def f(a=1, b=2): ...\ndef g(a, b=2): ...\nclass C:\n    def m(self, a, b=2): ...\n"
NEW = "def f(a=1): ...\ndef g(a, b): ...\nclass C:\n    def m(self, a, b): ...\n"
HEAD = "import functools, itertools\nfrom collections import defaultdict\nfrom lib.a import C, f, g\n\n\n"


@pytest.mark.parametrize(
    ("line", "symbol"),
    [
        ("map(f, xs, xs)", "f"),
        ("map(g, xs)", "g"),
        ("pool.map(g, xs)", "g"),
        ("filter(g, xs)", "g"),
        ("itertools.takewhile(g, xs)", "g"),
        ("sorted(xs, key=g)", "g"),
        ("max(xs, key=C().m)", "C.m"),
        ("xs.sort(key=g)", "g"),
        ("functools.reduce(f, xs, 0)", "f"),
    ],
)
def test_a_function_has_to_take_what_it_is_called_with(line: str, symbol: str) -> None:
    assert [
        row[:60].split()[1:4] for row in compare(OLD, NEW, f"{HEAD}def run(xs, pool):\n    {line}\n")
    ] == [[f"lib.a.{symbol}", "breaks", "7"]]


@pytest.mark.parametrize("line", ["defaultdict(C)", "field(default_factory=C)"])
def test_a_class_is_made_without_arguments(line: str) -> None:
    plugin = f"from dataclasses import field\n{HEAD}v = {line}\n"
    old, new = "class C:\n    def __init__(self): ...\n", "class C:\n    def __init__(self, a): ...\n"
    rest = "def f(): ...\ndef g(): ...\n"
    assert compare(old + rest, new + rest, plugin) == ["parameter-added lib.a.C.__init__ breaks 7 a"]


@pytest.mark.parametrize(
    "line",
    [
        "map(f, xs)",
        "map(f, *xs)",
        "pool.map(f, xs, 3)",
        "data.map(g, True)",
        "functools.reduce(own, xs)",
        "sorted(xs, key=lambda x: g(x, 1))",
        "own.map(g, xs, xs, xs)",
    ],
)
def test_what_is_called_otherwise_is_not_told(line: str) -> None:
    plugin = f"{HEAD}def own(a, b): ...\ndef run(xs, pool, data):\n    {line}\n"
    assert compare(OLD, NEW, plugin) == []


def test_a_function_of_the_backend_of_such_a_name_does_what_it_does() -> None:
    plugin = f"{HEAD}def map(f, xs): return f(xs, 1)\ndef run(xs):\n    map(g, xs)\n"
    assert [row for row in compare(OLD, NEW, plugin) if "lib.a.g breaks 8" in row] == []
