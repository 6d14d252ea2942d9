"""An override uses a parameter that is an object of another class now."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

LIB = """
class Plan:
    size: int
    def begin(self): ...


class Order:
    count: int


class Wide(Plan):
    size: int


class Base:
    def run(self, given: {declared}, more=None): ...
"""
MINE = "from lib.a import Base, Plan\n\n\nclass Mine(Base):\n    def run(self, given{annotation}, more=None):\n        {body}\n"


def _told(now: str, body: str, annotation: str = "", was: str = "Plan") -> list[str]:
    plugin = MINE.format(annotation=annotation, body=body)
    return compare(LIB.format(declared=was), LIB.format(declared=now), plugin)


@pytest.mark.parametrize("annotation", ["", ": Plan", ": 'Plan'"])
@pytest.mark.parametrize("now", ["Order", "Order | None"])
def test_an_attribute_that_the_other_class_lacks(now: str, annotation: str) -> None:
    assert _told(now, "return given.size, given.begin()", annotation) == [
        "parameter-type-changed lib.a.Base.run breaks 6 given.begin",
        "parameter-type-changed lib.a.Base.run breaks 6 given.size",
    ]


@pytest.mark.parametrize(
    ("now", "body", "annotation"),
    [
        pytest.param("Wide", "return given.size", "", id="derives from it"),
        pytest.param("Order", "return more.size", "", id="another parameter"),
        pytest.param("Order", "given = change(given)\n        return given.size", "", id="another value"),
        pytest.param("Order", "return given.size if hasattr(given, 'size') else 1", "", id="tested"),
        pytest.param("Order", "return [given.size for given in more]", "", id="another scope"),
        pytest.param("Order", "return (lambda given: given.size)(more)", "", id="another function"),
        pytest.param("Order", "return given.size", ": object", id="declared otherwise here"),
        pytest.param("Plan | Order", "return given.size", "", id="one of several"),
        pytest.param("Order", "return given", "", id="nothing asked"),
    ],
)
def test_what_goes_well(now: str, body: str, annotation: str) -> None:
    assert [row for row in _told(now, body, annotation) if "breaks" in row] == []


def test_what_was_wider_before() -> None:
    assert _told("Plan", "return given.size", was="Wide") == []


MODULES = """
import torch


class Expert(torch.nn.Module):
    def __init__(self):
        self.rank = 0


class Routed(torch.nn.Module):
    def __init__(self):
        self.other = 0
{more}

class Base:
    def run(self, given: {declared}): ...
"""


def _of_modules(body: str = "return given.rank", annotation: str = "", was: str = "torch.nn.Module", more: str = "",
    now: str = "Routed", beside: str = "") -> list[str]:  # fmt: skip
    plugin = f"""
import torch
from lib.a import Base, Expert


class Mine(Base):
    def run(self, given{annotation}):
        {body}
{beside}
"""
    old, new = (MODULES.format(declared=declared, more=more) for declared in (was, now))
    return [row for row in compare(old, new, plugin) if "breaks" in row]


@pytest.mark.parametrize("annotation", ["", ": torch.nn.Module", ": Expert", ": 'Expert'"])
@pytest.mark.parametrize("was", ["torch.nn.Module", "Expert"])
def test_what_a_class_of_another_package_stood_for_is_one_of_upstreams_own(annotation: str, was: str) -> None:
    assert _of_modules(annotation=annotation, was=was) == [
        "parameter-type-changed lib.a.Base.run breaks 7 given.rank"
    ]


@pytest.mark.parametrize(
    ("body", "more", "now"),
    [
        pytest.param("return given.rank", "        self.rank = 1\n", "Routed", id="it has that too"),
        pytest.param("return given.rank", "", "torch.nn.Module", id="declared as before"),
        pytest.param("return given.training", "", "Routed", id="each module has that"),
        pytest.param("return given.unknown", "", "Routed", id="none had that before"),
        pytest.param("return given.rank if hasattr(given, 'rank') else 0", "", "Routed", id="asked for"),
        pytest.param("return 0 if hasattr(given, 'other') else given.rank", "", "Routed", id="told apart by another"),
        pytest.param("known = hasattr(given, 'other')\n        return 0 if known else given.rank", "", "Routed",
            id="told apart by a name"),
        pytest.param("return getattr(given, 'rank', given.rank)", "", "Routed", id="asked for by getattr"),
        pytest.param("return given.rank", "\n\nclass A(Routed):\n    rank = 1\n\n\nclass B(Routed):\n    rank = 2\n",
            "Routed", id="all below it have that"),
        pytest.param("return given.rank", "\n\ndef fill(given: Routed):\n    given.rank = 1\n", "Routed",
            id="set from outside"),
        pytest.param("return given.rank", "\n    def __getattr__(self, name): ...\n", "Routed", id="it answers anything"),
    ],
)  # fmt: skip
def test_what_modules_have_all_the_same(body: str, more: str, now: str) -> None:
    assert _of_modules(body, more=more, now=now) == []


def test_another_question_decides_nothing_of_it() -> None:
    body = "known = hasattr(given, 'other')\n        return given.rank"
    assert _of_modules(body) == ["parameter-type-changed lib.a.Base.run breaks 8 given.rank"]


def test_what_the_backend_sets_on_it_is_there() -> None:
    assert _of_modules(beside="\ndef fill(layer):\n    layer.rank = 1\n") == []


LAYER = "import torch\n\n\nclass Layer(torch.nn.Module):\n    rank = 0\n"


def test_a_name_that_upstream_does_not_import_is_that_of_the_only_class_of_that_name() -> None:
    libs = [
        {"lib/a.py": MODULES.format(declared=declared, more=""), "lib/b.py": LAYER}
        for declared in ("'Layer'", "Routed")
    ]
    plugin = "from lib.a import Base\n\n\nclass Mine(Base):\n    def run(self, given):\n        return given.rank\n"
    assert compare(*libs, plugin) == ["parameter-type-changed lib.a.Base.run breaks 6 given.rank"]
    for lib in libs:
        lib["lib/c.py"] = LAYER
    assert compare(*libs, plugin) == []
