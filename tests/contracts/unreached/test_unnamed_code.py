"""Code that nothing names, in a project that others load by its entry points."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.contracts.world import compare

OLD = "class Base: ...\n\n\ndef tool(x, y):\n    return x\n"
NEW = OLD.replace("x, y", "x")
MAIN = "from plugin.work import used\n\n\ndef register():\n    used()\n"
WORK = """
from lib.a import Base, tool


def used():
    return 1


def left():
    return tool(1, 2)
"""
LOADED = ("plugin.register",)
Files = Mapping[str, str]


def told(work: str, more: Files | None = None, loaded: tuple[str, ...] = LOADED, new: str = NEW) -> list[str]:
    files = {"plugin/__init__.py": MAIN, "plugin/work.py": work, **(more or {})}
    return [row.split()[2] for row in compare(OLD, new, files, loaded=loaded)]


def test_a_function_that_nothing_names() -> None:
    assert told(WORK) == ["at-risk"]


@pytest.mark.parametrize(
    "work",
    [
        pytest.param(WORK + "\n\ndef more():\n    return left()\n", id="named by what nothing names"),
        pytest.param(WORK.replace("return tool", "left()\n    return tool"), id="named by itself"),
        pytest.param(WORK + "\n\n# left() was here\n", id="a comment"),
        pytest.param(WORK.replace("def left", "@cache\ndef left"), id="a decorator that keeps it"),
    ],
)
def test_what_does_not_count_as_a_name(work: str) -> None:
    assert told(work) == ["at-risk"]


@pytest.mark.parametrize(
    ("work", "more", "loaded"),
    [
        pytest.param(WORK, {}, (), id="no entry points are known"),
        pytest.param(WORK, {}, (*LOADED, "plugin.work.left"), id="an entry point"),
        pytest.param(WORK.replace("return 1", "return left()"), {}, LOADED, id="called"),
        pytest.param(WORK + "\nleft()\n", {}, LOADED, id="called by the module"),
        pytest.param(WORK + "\n\ndef other(one=left):\n    return 1\n", {}, LOADED, id="a default"),
        pytest.param(WORK + "\n\n@left\ndef other():\n    return 1\n", {}, LOADED, id="a decorator"),
        pytest.param(WORK + "\nNAMES = ['plugin.work.left']\n", {}, LOADED, id="spelled"),
        pytest.param(WORK + "\n__all__ = ['used', 'left']\n", {}, LOADED, id="public"),
        pytest.param(
            WORK, {"plugin/api/__init__.py": "from plugin.work import left\n"}, LOADED, id="exported"
        ),
        pytest.param(
            WORK, {"plugin/api/__init__.py": "from plugin.work import *\n"}, LOADED, id="exported with all"
        ),
        pytest.param(
            WORK, {"plugin/b.py": "import plugin.work\nplugin.work.left()\n"}, LOADED, id="elsewhere"
        ),
        pytest.param(
            WORK, {"plugin/b.py": "import inspect\ninspect.getmembers(x)\n"}, LOADED, id="searched for"
        ),
        pytest.param(
            WORK.replace("def left", "@hook\ndef left"), {}, LOADED, id="a decorator that may keep it"
        ),
    ],
)
def test_what_may_be_called(work: str, more: Files, loaded: tuple[str, ...]) -> None:
    assert told(work, more, loaded) == ["breaks"]


CLASS = """
from lib.a import Base, tool


def used():
    return Mine()


class Mine(Base):
    def left(self):
        return tool(1, 2)
"""


def test_a_method_that_nothing_names() -> None:
    assert told(CLASS) == ["at-risk"]
    again = CLASS + "\n\nclass More(Mine):\n    def left(self):\n        return super().left()\n"
    assert told(again.replace("return Mine", "return More")) == ["at-risk"]


@pytest.mark.parametrize(
    ("work", "new"),
    [
        pytest.param(CLASS.replace("return Mine()", "return Mine().left()"), NEW, id="called here"),
        pytest.param(CLASS.replace("return Mine()", "return Mine(), 'left'"), NEW, id="spelled here"),
        pytest.param(CLASS, NEW + "\n\ndef drive(one):\n    one.left()\n", id="called upstream"),
        pytest.param(CLASS.replace("left", "__enter__"), NEW, id="called by Python"),
        pytest.param(CLASS.replace("(Base)", "(other.Base)"), NEW, id="a base that is not seen"),
        pytest.param(CLASS.replace("    def left", "    @hook\n    def left"), NEW, id="a decorator"),
        pytest.param(
            CLASS.replace("left", "on_left").replace("return Mine()", "return getattr(Mine(), f'on_{1}')"),
            NEW, id="put together",
        ),
        pytest.param(
            CLASS.replace("class Mine", "class Kept:\n    def __init_subclass__(cls): ...\n\n\nclass Mine")
            .replace("(Base)", "(Kept)").replace("return Mine()", "return 1").replace("left", "lib_left"),
            NEW + "\n\ndef drive(one):\n    one.lib_left()\n", id="kept by its base",
        ),
    ],
)  # fmt: skip
def test_a_method_that_may_be_called(work: str, new: str) -> None:
    assert told(work, new=new) == ["breaks"]


def test_a_class_that_nothing_makes() -> None:
    made = CLASS.replace("return Mine()", "return 1").replace("(Base)", "")
    made += "\n    def run(self):\n        return self.left()\n"
    assert told(made) == ["at-risk"]
    assert told(made.replace("class Mine", "class Mine(Base)")) == ["breaks"]
    assert told(made.replace("return 1", "return Mine")) == ["breaks"]
