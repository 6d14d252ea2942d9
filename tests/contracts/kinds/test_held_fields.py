"""Fields whose value became an object of a class of upstream's."""

from __future__ import annotations

import pytest

from tests.contracts.compare import told

OLD = """
import torch

class Buffer:
    def __init__(self, size):
        self.cpu = torch.zeros(size)

    def copy(self):
        return self.cpu

class Rows(Buffer):
    def __getitem__(self, at):
        return self.cpu[at]

class Any(Buffer):
    def __getattr__(self, name):
        return 1

class Runner:
    def __init__(self, size):
        self.ids = torch.zeros(size)

    def make(self, size) -> Buffer:
        return Buffer(size)
"""
NEW = OLD.replace("self.ids = torch.zeros(size)", "self.ids = self.make(size)")
USE = "from engine.core import Runner\n\nclass Mine(Runner):\n    def use(self):\n        {}\n"
CHANGED = ["field-type-changed core.Runner.ids breaks 5"]


@pytest.mark.parametrize(
    "line",
    ["return self.ids[:1]", "self.ids[0] = 1", "return self.ids()", "return self.ids.shape",
     "return [i for i in self.ids]", "return list(self.ids)", "return len(self.ids)", "del self.ids[0]",
     "return self.ids.fill_(0)"],
)  # fmt: skip
def test_what_the_class_does_not_have_breaks(line: str) -> None:
    assert told(OLD, NEW, USE.format(line)) == CHANGED


@pytest.mark.parametrize(
    ("new", "line"),
    [
        (NEW, "return self.ids"),
        (NEW, "return self.ids.copy()"),
        (NEW, "return self.ids.cpu[:1]"),
        (NEW, "return print(self.ids)"),
        (NEW, "self.ids = 1"),
        (OLD.replace("ids = torch.zeros(size)", "ids = Rows(size)"), "return self.ids[:1]"),
        (OLD.replace("ids = torch.zeros(size)", "ids = Rows(size)"), "return list(self.ids)"),
        (OLD.replace("ids = torch.zeros(size)", "ids = Any(size)"), "return self.ids.shape"),
        (OLD.replace("ids = torch.zeros(size)", "ids = torch.ones(size)"), "return self.ids[:1]"),
        (
            NEW.replace(
                "self.ids = self.make(size)",
                "self.ids = self.make(size)\n        if not size:\n            self.ids = torch.zeros(1)",
            ),
            "return self.ids[:1]",
        ),
    ],
)
def test_what_it_has_or_may_have_is_no_news(new: str, line: str) -> None:
    assert told(OLD, new, USE.format(line)) == []


def test_none_until_then_is_no_other_value() -> None:
    new = NEW.replace("self.ids = self.make(size)", "self.ids = None\n        self.ids = self.make(size)")
    assert told(OLD, new, USE.format("return self.ids[:1]")) == CHANGED


def test_what_it_never_had_is_no_news() -> None:
    assert told(NEW, NEW.replace("def copy", "def copied"), USE.format("return self.ids[:1]")) == []


def test_what_the_backend_itself_puts_there_is_the_backends() -> None:
    own = USE.format("return self.ids[:1]").replace(
        "    def use", "    def __init__(self, size):\n        self.ids = [size]\n\n    def use"
    )
    assert [row for row in told(OLD, NEW, own) if row.startswith("field-type-changed")] == []
