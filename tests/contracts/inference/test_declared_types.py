"""The elements of a container have the class that the container is declared with."""

from __future__ import annotations

import pytest

from tests.contracts.compare import compare, rows, told
from tests.contracts.world import compare as compare_lib

OLD = """
from collections.abc import Mapping
from dataclasses import dataclass

class Item:
    size = 1

@dataclass
class Store:
    items: list[Item]
    named: "dict[str, Item] | None"
    pair: tuple[int, Item]
    most: tuple[Item, ...]
    plain: list
    numbers: list[int]

    def all(self) -> Mapping[str, list[Item]]: ...

def load() -> tuple[Store, Item]: ...
"""
NEW = OLD.replace("size = 1", "length = 1")
TOLD = ["attribute-removed core.Item.size breaks 3"]


def use(line: str) -> str:
    """A function of the backend that has one line."""
    return f"from engine.core import Item, Store, load\ndef use(store: Store, key, more: list[Item]):\n    {line}\n"


@pytest.mark.parametrize(
    "line",
    [
        "return store.items[0].size",
        "return store.named[key].size",
        "return store.named.get(key).size",
        "return store.pair[1].size",
        "return store.most[0].size",
        "return store.items[1:][0].size",
        "return store.items.pop().size",
        "return store.all()[key][0].size",
        "return next(iter(store.named.values())).size",
        "return more[0].size",
        "return load()[1].size",
        "return [item.size for item in store.items]",
        "return {k: v.size for k, v in store.named.items()}",
        "return any(a.size for a, _ in zip(store.items, key))",
        "return sorted(store.items)[0].size",
        "for item in store.items: item.size",
        "for at, item in enumerate(store.items): item.size",
        "for name, several in store.all().items(): several[0].size",
        "_, item = load(); return item.size",
        "first, second = store.items; return second.size",
        "held = store.items; return held[0].size",
    ],
)
def test_what_stands_in_a_container_is_known(line: str) -> None:
    """By subscript, by loop, by the container's own methods, by unpacking."""
    assert told(OLD, NEW, use(line)) == TOLD


@pytest.mark.parametrize(
    "line",
    [
        "return store.items.size",
        "return store.pair[0].size",
        "return store.pair[key].size",
        "return store.plain[0].size",
        "return store.numbers[0].size",
        "for name in store.named: name.size",
        "return [key.size for key in store.named.keys()]",
        "return {k.size: v for k, v in store.named.items()}",
        "for at, item in enumerate(store.items): at.size",
        "store, item = key; return item.size",
        "*rest, item = load(); return item.size",
        "held = store.items\n    held = key\n    return held[0].size",
        "for item in store.items:\n        for item in key: pass",
    ],
)
def test_what_is_not_declared_is_not_known(line: str) -> None:
    """The container itself, keys, places that nobody can tell, names with several values."""
    assert told(OLD, NEW, use(line)) == []


GIVEN = """
from engine.core import Item

class Holder:
    several: list[Item]
    def __init__(self, items: list[Item] | None = None, other=None):
        self.either = items or []
        self.chosen = items if items is not None else list()
        self.begun = []
        self.begun = items
        self.two = items or other
        self.empty = items.copy() or {}
        self.later = other
        self.later = items

class Heir(Holder):
    def fill(self, other):
        self.several = other.make()
        self.either = other.make()
"""


@pytest.mark.parametrize(
    ("line", "size"),
    [
        ("holder.either[0].size", True),
        ("holder.chosen[0].size", True),
        ("holder.begun[0].size", True),
        ("[i.size for i in holder.empty]", True),
        ("heir.several[0].size", True),
        ("[i.size for i in heir.several]", True),
        ("holder.two[0].size", False),
        ("holder.later[0].size", False),
        ("heir.either[0].size", False),
    ],
)
def test_an_attribute_without_a_type_is_what_it_is_given(line: str, size: bool) -> None:
    """An empty container beside says nothing; what a base declares holds where its heir says nothing."""
    old = {"engine/__init__.py": "", "engine/core.py": OLD, "engine/holder.py": GIVEN}
    new = old | {"engine/core.py": NEW}
    plugin = f"from engine.holder import Heir, Holder\ndef use(holder: Holder, heir: Heir):\n    {line}\n"
    found = rows(compare(old, new, {"plugin/use.py": plugin}))
    assert found == (TOLD if size else [])


def test_a_loop_hides_what_the_module_has_under_that_name() -> None:
    """The name is bound by the loop, whatever it gives."""
    plugin = "from engine.core import Item as item\ndef use(key):\n    for item in key:\n        item.size\n"
    assert told(OLD, NEW, plugin) == []


MANAGERS = """
from contextlib import asynccontextmanager, contextmanager
from typing import AsyncIterator, Generator, Iterator, Self


class Result:
    gone = 1


class Manager:
    gone = 1
    def __enter__(self): return self
    def __exit__(self, *error): ...


class Typed:
    def __enter__(self) -> Result: ...
    async def __aenter__(self) -> Result: ...


@contextmanager
def opened() -> Iterator[Result]: ...


@contextmanager
def generated() -> Generator[Result, None, None]: ...


@asynccontextmanager
async def later() -> AsyncIterator[Result]: ...


def made() -> Manager: ...


def results() -> Iterator[Result]: ...
"""


@pytest.mark.parametrize(
    ("statement", "owner"),
    [
        ("with a.Manager() as x", "Manager"),
        ("with a.made() as x", "Manager"),
        ("with open('f') as y, a.Manager() as x", "Manager"),
        ("with a.Typed() as x", "Result"),
        ("with a.opened() as x", "Result"),
        ("with a.generated() as x", "Result"),
        ("async with a.Typed() as x", "Result"),
        ("async with a.later() as x", "Result"),
    ],
)
def test_what_a_with_statement_binds(statement: str, owner: str) -> None:
    plugin = f"from lib import a\n\n\nasync def f():\n    {statement}:\n        return x.gone\n"
    told = compare_lib(MANAGERS, MANAGERS.replace("gone = 1", "other = 1"), plugin)
    assert told == [f"attribute-removed lib.a.{owner}.gone breaks 6 gone"]


@pytest.mark.parametrize(
    "statement", ["with a.results() as x", "with a.Typed() as (x, y)", "with a.other() as x"]
)
def test_what_a_with_statement_binds_is_not_known(statement: str) -> None:
    plugin = f"from lib import a\n\n\ndef f():\n    {statement}:\n        return x.gone\n"
    told = compare_lib(MANAGERS, MANAGERS.replace("gone = 1", "other = 1"), plugin)
    assert [row for row in told if "breaks" in row] == []
