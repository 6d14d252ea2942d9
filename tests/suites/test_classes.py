"""Classes by rule, on sources of a small plugin and its upstream: what a rule shows, and what it leaves open."""

from __future__ import annotations

import ast
from collections.abc import Callable

import pytest

from syncbot.api.extract import extract
from syncbot.api.model import ModuleTable
from syncbot.api.tree import ModuleTree
from syncbot.api.universe import Universe
from syncbot.suites.classes import Classed, Decisions, classed
from syncbot.suites.differences import Difference, Group
from syncbot.suites.lane_sources import LaneSources
from syncbot.verify.suite.outcomes import Asked, Cause, Frame

UPSTREAM = """\
class Config:
    size: int

    def __init__(self, size):
        self.size = size
        self.extra = 0


class Holder:
    config: Config

    def __init__(self, config: Config):
        self.config = config


class Open:
    def __getattr__(self, name):
        return name


def run(holder: Holder):
    return holder.config.extra
"""
PLUGIN = """\
from up.base import Config, Holder, helper


class Mine(Holder):
    def start(self):
        self.worker = 1

    def go(self, given: Holder, loose, open: "Open"):
        local = given.config
        a = local.extra
        b = loose.extra
        c = given.config.lost
        d = self.config.extra
        e = helper(1, flag=True)
        f = helper(*loose)
        g = self.worker
        return a, b, c, d, e, f, g
"""
TEST = """\
from plugin.mine import Mine


class Parent:
    def step(self):
        pass


def test_it():
    mine = Mine.__new__(Mine)
    mine.go()
"""
FILES = {"plugin/mine.py": PLUGIN.encode(), "tests/test_it.py": TEST.encode()}


class Tables:
    def get(self, blob: str, read: Callable[[str], bytes]) -> ModuleTable:
        return extract(read(blob))


@pytest.fixture(scope="module")
def sources() -> LaneSources:
    up = ModuleTree.of_modules(
        {"up": ("up/__init__.py", ""), "up.base": ("up/base.py", UPSTREAM)}, Tables(), str.encode
    )
    own = ModuleTree.of_modules(
        {"plugin": ("plugin/__init__.py", ""), "plugin.mine": ("plugin/mine.py", PLUGIN)},
        Tables(),
        str.encode,
    )
    return LaneSources(FILES, ("plugin",), ("up",), Universe((up, own), follow=(own,)), (up,))


def at(file: str, text: str, expression: str, function: str = "go") -> Frame:
    """The frame that was computing an expression of a text."""
    node = next(
        n for n in ast.walk(ast.parse(text)) if isinstance(n, ast.expr) and ast.unparse(n) == expression
    )
    place = (node.end_lineno or 0, node.col_offset, node.end_col_offset or 0)
    return Frame(file, node.lineno, function, "", place)


def told(sources: LaneSources, kind: str, text: str, frame: Frame, asked: Asked | None = None) -> Classed:
    cause = Cause(kind, text, (Frame("tests/test_it.py", 11, "test_it"), frame), "", asked)
    group = Group(f"{kind}: {text}", "x", (Difference("tests/test_it.py::test_it", "fail", cause),))
    return classed([group], Decisions(), sources, ("tests",))[0]


def missing(name: str, nature: str, *classes: str) -> Asked:
    return Asked(name, nature, classes)


@pytest.mark.parametrize("nature", ["namespace", "test"])
@pytest.mark.parametrize(
    ("file", "text", "expression", "class_"),
    [
        ("up/base.py", UPSTREAM, "holder.config.extra", "pins"),
        ("plugin/mine.py", PLUGIN, "local.extra", "pins"),
        ("plugin/mine.py", PLUGIN, "self.config.extra", "pins"),
        # Nothing says what it is.
        ("plugin/mine.py", PLUGIN, "loose.extra", "undecided"),
        # The real class has it no more, either.
        ("plugin/mine.py", PLUGIN, "given.config.lost", "lane"),
    ],
)
def test_a_stand_in_pins_where_the_real_class_has_what_it_lacks(
    sources: LaneSources, nature: str, file: str, text: str, expression: str, class_: str
) -> None:
    name = expression.rpartition(".")[2]
    frame = at(file, text, expression)
    assert (
        told(sources, "AttributeError", "no", frame, missing(name, nature, "types.SimpleNamespace")).class_
        == class_
    )
    # In the test itself it is the test's own business.
    mine = Frame("tests/test_it.py", 11, "test_it", "", frame.expression)
    assert told(sources, "AttributeError", "no", mine, missing(name, nature, "t.Given")).class_ == "undecided"


@pytest.mark.parametrize(
    ("class_", "name", "expected"),
    [
        ("up.base.Config", "extra", "pins"),
        ("up.base.Config", "lost", "lane"),
        ("up.base.Open", "anything", "undecided"),
        ("torch.Tensor", "extra", "undecided"),
    ],
)
def test_a_mock_pins_where_what_it_stands_for_has_more(
    sources: LaneSources, class_: str, name: str, expected: str
) -> None:
    frame = Frame("plugin/mine.py", 3, "go")
    assert (
        told(sources, "AttributeError", "Mock object has no", frame, missing(name, "mock", class_)).class_
        == expected
    )


def test_an_object_made_without_its_constructor_pins_and_a_real_one_does_not(sources: LaneSources) -> None:
    frame, asked = (
        at("plugin/mine.py", PLUGIN, "self.worker"),
        missing("worker", "object", "plugin.mine.Mine"),
    )
    found = told(sources, "AttributeError", "'Mine' object has no attribute 'worker'", frame, asked)
    assert (found.class_, "without its constructor" in found.reason) == ("pins", True)
    inside = Frame("plugin/mine.py", frame.line, "__init__", "", frame.expression)
    assert told(sources, "AttributeError", "no", inside, asked).class_ == "undecided"


@pytest.mark.parametrize(
    ("expression", "called", "expected"),
    [
        ("helper(1, flag=True)", "helper", "lane"),
        # What it passes is somebody else's.
        ("helper(*loose)", "helper", "undecided"),
        # The test's own function, and one within a test.
        ("helper(1, flag=True)", "Parent.step", "undecided"),
        ("helper(1, flag=True)", "test_it.<locals>.step", "undecided"),
    ],
)
def test_a_call_that_does_not_fit_is_the_lanes_where_it_writes_the_arguments(
    sources: LaneSources, expression: str, called: str, expected: str
) -> None:
    frame = at("plugin/mine.py", PLUGIN, expression)
    text = f"{called}() got an unexpected keyword argument 'flag'"
    assert told(sources, "TypeError", text, frame).class_ == expected
    mine = Frame("tests/test_it.py", 11, "test_it", "", frame.expression)
    assert told(sources, "TypeError", text, mine).class_ == "undecided"


@pytest.mark.parametrize(
    ("kind", "text", "file", "expected"),
    [
        ("ModuleNotFoundError", "No module named 'drawing.shapes'", "up/base.py", "environment"),
        ("ModuleNotFoundError", "No module named 'up.gone'", "plugin/mine.py", "lane"),
        ("ModuleNotFoundError", "No module named 'up.gone'", "tests/test_it.py", "undecided"),
        ("ImportError", "cannot import name 'gone' from 'up.base' (x)", "plugin/mine.py", "lane"),
        ("ImportError", "cannot import name 'gone' from 'up.base' (x)", "tests/test_it.py", "undecided"),
        ("FileNotFoundError", "[Errno 2] no /dev/device", "plugin/mine.py", "environment"),
        ("AssertionError", "assert 1 == 2", "tests/test_it.py", "undecided"),
        ("AttributeError", "property 'size' of 'Mine' object has no setter", "plugin/mine.py", "lane"),
        ("AttributeError", "property 'size' of 'Mine' object has no setter", "tests/test_it.py", "undecided"),
    ],
)
def test_other_errors(sources: LaneSources, kind: str, text: str, file: str, expected: str) -> None:
    assert told(sources, kind, text, Frame(file, 1, "f")).class_ == expected
