"""Fields that held an object of an upstream class and hold something else now."""

from __future__ import annotations

import pytest

from tests.contracts.compare import told

OLD = """
import torch

class Buffer:
    def __init__(self, size):
        self.cpu = torch.zeros(size)

class Runner:
    def __init__(self, size):
        self.ids = self.make(size)

    def make(self, size) -> Buffer:
        return Buffer(size)
"""
USE = "from engine.core import Runner\n\nclass Mine(Runner):\n    def use(self):\n        {}\n"


def now(value: str) -> str:
    return OLD.replace("self.ids = self.make(size)", f"self.ids = {value}")


@pytest.mark.parametrize(
    ("value", "verdict"),
    [
        ("torch.zeros(size)", "at-risk"),
        ("torch.zeros(" + "size + size + size + size + " * 12 + "size)", "at-risk"),
        ("{}", "breaks"),
        ("[0] + []", None),
        ("[size]", "breaks"),
        ("(size, size)", "breaks"),
        ("[one for one in size]", "breaks"),
    ],
)
def test_what_the_value_is_asked_for(value: str, verdict: str | None) -> None:
    expected = [f"field-type-changed core.Runner.ids {verdict} 5"] if verdict else []
    assert told(OLD, now(value), USE.format("return self.ids.cpu")) == expected


@pytest.mark.parametrize(
    ("value", "verdict"),
    [
        ("torch.zeros(size)", "breaks"),
        ("torch.arange(size, dtype=int)", "breaks"),
        ("torch.load(size)", "at-risk"),
        ("numpy.zeros(size)", "at-risk"),
    ],
)
def test_what_no_tensor_has(value: str, verdict: str) -> None:
    old, new = (
        text.replace("self.cpu =", "self.np =").replace("torch\n", "numpy, torch\n")
        for text in (OLD, now(value))
    )
    assert told(old, new, USE.format("return self.ids.np")) == [
        f"field-type-changed core.Runner.ids {verdict} 5"
    ]


@pytest.mark.parametrize(
    ("value", "line"),
    [
        ("torch.zeros(size)", "return self.ids"),
        ("torch.zeros(size)", "self.ids = 1"),
        ("torch.zeros(size)", "self.ids = Other()\n        return self.ids.cpu"),
        ("self.make(size + 1)", "return self.ids.cpu"),
        ("Buffer(size)", "return self.ids.cpu"),
        ("other(size)", "return self.ids.cpu"),
    ],
)
def test_what_may_be_the_same_still(value: str, line: str) -> None:
    assert told(OLD, now(value), USE.format(line)) == []


OTHERS = """
class Group:
    def __init__(self, size):
        self.all = size

class Open:
    def __getattr__(self, name):
        return 1

class Deep(Buffer):
    pass
"""


@pytest.mark.parametrize(
    ("value", "verdict"), [("Group(size)", "breaks"), ("Open()", None), ("Deep(size)", None)]
)
def test_an_object_of_another_class(value: str, verdict: str | None) -> None:
    expected = [f"field-type-changed core.Runner.ids {verdict} 5"] if verdict else []
    assert told(OLD + OTHERS, now(value) + OTHERS, USE.format("return self.ids.cpu")) == expected
    assert told(OLD + OTHERS, now(value) + OTHERS, USE.format("return self.ids")) == []


def test_one_of_several_values_may_be_what_it_was() -> None:
    both = now("torch.zeros(size)\n        if size:\n            self.ids = Buffer(size)")
    assert told(OLD, both, USE.format("return self.ids.cpu")) == []


@pytest.mark.parametrize(
    ("condition", "use", "expected"),
    [
        ("if size > 9:", "return self.ids.cpu", ["field-type-changed core.Runner.ids breaks 8"]),
        ("if self.wide:", "if self.wide: return self.ids.cpu", []),
        ("if self.wide * 2 > 1:", "if self.wide > 1: return self.ids.cpu", []),
        (
            "if True:\n            pass\n        self.more = size\n        for _ in ():",
            "return self.ids.cpu",
            [],
        ),
    ],
)
def test_a_field_that_is_set_here_on_a_condition(condition: str, use: str, expected: list[str]) -> None:
    own = (
        "from engine.core import Runner\n\nclass Mine(Runner):\n    def __init__(self, size):\n"
        f"        {condition}\n            self.ids = self.make(size)\n    def use(self):\n        {use}\n"
    )
    found = told(OLD, now("{}"), own)
    assert [row for row in found if row.startswith("field")] == expected


def test_what_a_condition_says_of_the_value() -> None:
    check = "if isinstance(self.ids, Buffer):\n            return self.ids.cpu"
    own = USE.format(check).replace("import Runner", "import Buffer, Runner")
    assert told(OLD, now("{}"), own) == []
