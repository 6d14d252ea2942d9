"""Subclasses: what an upstream base newly asks of the classes that derive from it."""

from __future__ import annotations

import pytest

from syncbot.contracts.discovery import discover
from syncbot.contracts.kinds.subclasses import SubclassContract
from syncbot.contracts.registry import audit_of
from syncbot.contracts.sources import in_memory
from tests.contracts.compare import PACKAGES, compare, engine, rows, told
from tests.contracts.world import comparison

ABC = "from abc import ABC, ABCMeta, abstractmethod\n"
BASE = ABC + "class Base(ABC):\n    def run(self): ...\n"
META = BASE.replace("ABC)", "metaclass=ABCMeta)")
STOP = "    @abstractmethod\n    def stop(self): ...\n"
MINE = "from engine.core import Base\nclass Mine(Base):\n    pass\n"


@pytest.mark.parametrize(
    ("old", "new", "plugin", "expected"),
    [
        pytest.param(BASE, BASE + STOP, MINE, ["abstract-method-added core.Base.stop breaks 2"], id="added"),
        pytest.param(META, META + STOP, MINE, ["abstract-method-added core.Base.stop breaks 2"],
                     id="by metaclass"),
        pytest.param(BASE, BASE.replace("    def", "    @abstractmethod\n    def"), MINE,
                     ["abstract-method-added core.Base.run breaks 2"], id="an old method became abstract"),
        pytest.param(BASE, BASE + "    @property\n" + STOP, MINE,
                     ["abstract-method-added core.Base.stop breaks 2"], id="abstract property"),
        pytest.param(BASE + "class Child(Base): ...\n", BASE + STOP + "class Child(Base): ...\n",
                     MINE.replace("Base", "Child"), ["abstract-method-added core.Base.stop breaks 2"],
                     id="two bases up"),
        pytest.param(BASE, BASE + STOP, MINE + "class More(Mine):\n    pass\n",
                     ["abstract-method-added core.Base.stop breaks 2",
                      "abstract-method-added core.Base.stop breaks 4"], id="derived again"),
        pytest.param(BASE + STOP, BASE + STOP + STOP.replace("stop", "halt"), MINE,
                     ["abstract-method-added core.Base.halt at-risk 2"], id="the class is abstract itself"),
        pytest.param(BASE, ABC + "def Base(*bases): ...\n", MINE,
                     ["class-became-function core.Base at-risk 1",
                      "class-became-function core.Base breaks 2"],
                     id="class became a function"),
    ],
)  # fmt: skip
def test_bases_that_ask_for_more(old: str, new: str, plugin: str, expected: list[str]) -> None:
    assert told(old, new, plugin) == expected


@pytest.mark.parametrize(
    ("new", "plugin"),
    [
        pytest.param(BASE + STOP, MINE.replace("pass", "def stop(self): ..."), id="implemented"),
        pytest.param(BASE + STOP, MINE.replace("pass", "stop = print"), id="assigned"),
        pytest.param(BASE + STOP, "from engine.core import Base\nclass Mixin:\n    def stop(self): ...\n"
                     "class Mine(Mixin, Base): ...\n", id="implemented by a mixin"),
        pytest.param(BASE + STOP + "class Child(Base):\n    def stop(self): ...\n",
                     MINE.replace("Base", "Child"), id="implemented between"),
        pytest.param(BASE + "    def stop(self): ...\n", MINE, id="not abstract"),
        pytest.param(BASE.replace("(ABC)", "") + STOP, MINE, id="nothing enforces it"),
        pytest.param(BASE + "class Other(ABC):\n" + STOP, MINE, id="another class"),
    ],
)  # fmt: skip
def test_bases_that_ask_for_nothing_new(new: str, plugin: str) -> None:
    old = BASE + "class Child(Base): ...\n"
    assert [line for line in told(old, new, plugin) if "abstract" in line] == []


def test_a_mixin_behind_the_base_does_not_implement_it() -> None:
    plugin = "from engine.core import Base\nclass Mixin:\n    def stop(self): ...\n"
    plugin += "class Mine(Base, Mixin): ...\n"
    assert told(BASE, BASE + STOP, plugin) == ["abstract-method-added core.Base.stop breaks 4"]


def test_a_method_left_open_counts_where_upstream_calls_it() -> None:
    old = "class Base:\n    def run(self): ...\n"
    new = old + "    def seed(self):\n        raise NotImplementedError\n"
    calling = engine(new, use="def go(base):\n    base.seed()\n")
    assert rows(compare(engine(old), calling, {"plugin/use.py": MINE})) == [
        "method-left-open core.Base.seed at-risk 2"
    ]
    assert compare(engine(old), engine(new), {"plugin/use.py": MINE}) == []
    own = MINE.replace("pass", "def seed(self): ...")
    assert compare(engine(old), calling, {"plugin/use.py": own}) == []


def test_the_audit_names_what_a_class_lacks() -> None:
    backend = in_memory({"plugin/use.py": MINE + "class Done(Base):\n    def stop(self): ...\n"})
    pair = comparison(engine(BASE), engine(BASE + STOP), backend, PACKAGES)
    found = [c for c in discover(backend, pair.old, PACKAGES) if isinstance(c, SubclassContract)]
    said = [problem for c in found if (audit := audit_of(c)) for problem in audit(c, pair.new)]
    assert said == ["Mine does not implement the abstract engine.core.Base.stop"]
