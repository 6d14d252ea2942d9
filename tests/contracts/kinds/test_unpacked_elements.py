"""Loops that take apart what upstream's functions return."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

OLD = "def f() -> list[tuple[int, bool]]: ...\n"
NEW = "def f() -> list[tuple[int, bool, float]]: ...\n"
USE = "from lib.a import f\n\ndef g():\n    "


def shapes(old: str, new: str, plugin: str) -> list[str]:
    """Return the findings on lengths; a change of the declared type is a risk of its own."""
    return [row for row in compare(old, new, plugin) if row.startswith("return-shape-changed")]


@pytest.mark.parametrize(
    "use",
    [
        "for a, b in f(): pass",
        "return [a for a, b in f()]",
        "return {a: b for a, b in f() if b}",
        "return any(b for a, b in f())",
    ],
)
def test_elements_of_another_length(use: str) -> None:
    assert shapes(OLD, NEW, USE + use + "\n") == ["return-shape-changed lib.a.f breaks 4"]


def test_elements_of_a_coroutine() -> None:
    plugin = "from lib.a import f\n\nasync def g():\n    for a, b in await f(): pass\n"
    old, new = f"async {OLD}", f"async {NEW}"
    assert shapes(old, new, plugin) == ["return-shape-changed lib.a.f breaks 4"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Iterator[tuple[int, int]]", "Iterator[tuple[int]]"),
        ("Generator[tuple[int, int], None, None]", "Generator[tuple[int, int, int], None, None]"),
        ("typing.Iterable[typing.Tuple[int, int]]", "typing.Iterable[typing.Tuple[int, int, str]]"),
    ],
)
def test_other_series(old: str, new: str) -> None:
    head = "import typing\nfrom typing import Generator, Iterator\n"
    told = shapes(
        f"{head}def f() -> {old}: ...\n", f"{head}def f() -> {new}: ...\n", USE + "for a, b in f(): pass\n"
    )
    assert told == ["return-shape-changed lib.a.f breaks 4"]


@pytest.mark.parametrize(
    ("new", "use"),
    [
        (NEW, "for pair in f(): pass"),
        (NEW, "for a, *others in f(): pass"),
        (NEW, "for a, b, c in f(): pass"),
        (NEW, "for a, b in other(f()): pass"),
        (OLD.replace("bool", "int"), "for a, b in f(): pass"),
        (OLD.replace("int, bool", "int, ..."), "for a, b in f(): pass"),
        (OLD.replace("list[", "dict["), "for a, b in f(): pass"),
    ],
)
def test_elements_that_fit(new: str, use: str) -> None:
    assert shapes(OLD, new, USE + use + "\n") == []
