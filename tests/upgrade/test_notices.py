"""Notices about the names that a project uses, by the real engine, on two texts of an upstream."""

from __future__ import annotations

import pytest

from syncbot.contracts.discovery import discover
from syncbot.contracts.sources import in_memory
from syncbot.upgrade.model import Likeness
from syncbot.upgrade.registry import drafts
from syncbot.upgrade.used_names import UsedName, used_names
from tests.contracts.world import comparison

OLD = """
from dataclasses import dataclass

@dataclass
class Output:
    tokens: list
    blocks: dict = None

class Base:
    limit: int = 4

    def run(self, request) -> list[tuple]:
        return [request]

    def unused(self) -> int:
        return 1

def make(size, depth=1):
    return size

def other(x, y=1):
    return x
"""
OWN = """
from lib.a import Base, Output, make

class Mine(Base):
    def run(self, request):
        return super().run(request)

def use():
    return make(3), Output([])
"""


def names(old: str, new: str, own: str = OWN) -> tuple[tuple[UsedName, ...], list[str]]:
    """The names that a project uses, and what is noticed of them."""
    sources = in_memory({"plugin/__init__.py": own})
    pair = comparison({"lib/a.py": old}, {"lib/a.py": new}, sources)
    used = used_names(discover(sources, pair.old, ("lib",)), pair)
    found = [draft.notice for name in used for draft in drafts(name, pair)]
    told = {f"{n.topic} {n.what} {n.symbol} {n.subject} {n.before}>{n.after}" for n in found}
    return used, sorted(told)


@pytest.mark.parametrize(
    ("was", "now", "told"),
    [
        ("return [request]", "return [request, 1]", ["behavioural body lib.a.Base.run  >"]),
        (
            "-> list[tuple]:",
            "-> dict[str, int]:",
            ["behavioural returns lib.a.Base.run  list[tuple]>dict[str, int]"],
        ),
        ("depth=1", "depth=1, wide=2", ["optional parameter lib.a.make wide >2"]),
        (
            "blocks: dict = None",
            "blocks: dict = None\n    more: int = 0",
            ["optional field lib.a.Output more >0"],
        ),
        ("limit: int = 4", "limit: int = 8", ["behavioural default lib.a.Base limit 4>8"]),
        (
            "    def unused",
            "    def hook(self):\n        return 2\n\n    def unused",
            ["optional method lib.a.Base hook >"],
        ),
        (
            "    def unused",
            "    def hook(self):\n        raise NotImplementedError\n\n    def unused",
            ["optional left-open lib.a.Base hook >"],
        ),
    ],
)
def test_what_differs_of_a_name_that_is_used(was: str, now: str, told: list[str]) -> None:
    assert names(OLD, OLD.replace(was, now, 1))[1] == told


@pytest.mark.parametrize(
    ("was", "now"),
    [
        ("return 1", "return 2"),
        ("def other(x, y=1)", "def other(x, y=2, z=3)"),
        ("class Base:", "# a remark\nclass Base:"),
        ("-> list[tuple]:", "-> List[tuple]:"),
    ],
)
def test_nothing_is_told_of_what_the_project_does_not_touch(was: str, now: str) -> None:
    assert names(OLD, OLD.replace(was, now, 1))[1] == []


def test_a_method_that_a_class_and_its_base_gained_is_one() -> None:
    was = OLD.replace("class Base:", "class Root:\n    pass\n\nclass Base(Root):")
    hook = "    def hook(self):\n        return 2\n"
    now = was.replace("class Root:\n    pass\n", f"class Root:\n{hook}").replace(
        "    def unused", f"{hook}\n    def unused"
    )
    own = OWN.replace("import Base,", "import Base, Root,") + "\nclass Below(Root): ...\n"
    assert names(was, now, own)[1] == ["optional method lib.a.Root hook >"]


def test_a_method_that_the_project_has_itself_is_no_new_one() -> None:
    new = OLD.replace("    def unused", "    def hook(self):\n        return 2\n\n    def unused")
    assert names(OLD, new, OWN.replace("    def run", "    def hook(self): ...\n\n    def run"))[1] == []


CALLING = """
class Base:
    def warm(self):
        return 1

class Runner:
    def begin(self):
        self.everybody("warm")

    def everybody(self, name):
        return [getattr(each, name)() for each in self.all]
"""
MOVED = CALLING.replace("def begin(self):", "def begin(self):\n        return 1\n\n    def later(self):")


@pytest.mark.parametrize(
    ("was", "now", "told"),
    [
        (CALLING, MOVED, ["behavioural caller lib.a.Base.warm  Runner.begin>Runner.later"]),
        (CALLING, CALLING.replace('self.everybody("warm")', 'self.everybody("warm"), 1'), []),
        # The same function under another name.
        (CALLING, CALLING.replace("def begin", "def start"), []),
        # Beside it another one calls it, too.
        (CALLING, CALLING + "\n\ndef other(base: Base):\n    base.warm()\n", []),
    ],
)
def test_another_function_that_calls_what_the_project_overrides(was: str, now: str, told: list[str]) -> None:
    own = "from lib.a import Base\n\nclass Mine(Base):\n    def warm(self):\n        return 2\n"
    assert [line for line in names(was, now, own)[1] if " caller " in line] == told


def test_what_became_of_each_name() -> None:
    new = (
        OLD.replace("depth=1", "depth=2")
        .replace("return [request]", "return [1]")
        .replace("dict = None", "x = 1")
    )
    used, _ = names(OLD, new)
    assert {name.name: name.likeness for name in used} == {
        "lib.a.Base": Likeness.SAME_SIGNATURE,
        "lib.a.Base.run": Likeness.SAME_SIGNATURE,
        "lib.a.Output": Likeness.CHANGED,
        "lib.a.make": Likeness.CHANGED,
    }
    gone, _ = names(OLD, OLD.replace("def make", "def made"))
    assert [name.name for name in gone if name.likeness is Likeness.GONE] == ["lib.a.make"]
