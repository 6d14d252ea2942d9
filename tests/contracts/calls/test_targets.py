"""Targets of calls: through forwarding, decorators, factories, conditions and results without annotations."""

from __future__ import annotations

import pytest

from tests.contracts.world import audits, compare

TOOL = "class Tool:\n    def run(self, a, b=0): ...\n    def other(self): ...\n"


KEEPS = """
class Facts: ...
class Base:
    def __init__(self, size, kind: type[Facts] | None = None):
        self.kind = kind if kind is not None else Facts
"""
HANDS = """
from dataclasses import dataclass
from lib.a import Base, Facts
@dataclass
class Ours(Facts):
    more: int = 0
class Mine(Base):
    def __init__(self, size, kind: type[Ours] | None = None):
        super().__init__(size, kind if kind is not None else Ours)
    def make(self):
        return self.kind(more=1)
"""


@pytest.mark.parametrize(
    ("backend", "said"),
    [
        (HANDS, []),
        (HANDS.replace("size, kind if kind is not None else Ours", "size, kind=Ours"), []),
        (HANDS.replace("size, kind if kind is not None else Ours", "size, made_elsewhere()"), []),
        (HANDS + "class Last(Mine):\n    def go(self):\n        self.kind(more=2)\n", []),
        (HANDS.replace("size, kind if kind is not None else Ours", "size"), ["10: lib.a.Facts() does not take more"]),
        (HANDS.replace("more: int", "less: int"), ["10: plugin.Ours() does not take more"]),
    ],
)  # fmt: skip
def test_a_class_that_a_derived_constructor_hands_to_its_base(backend: str, said: list[str]) -> None:
    facts = KEEPS.replace(
        "class Facts: ...", "from dataclasses import dataclass\n@dataclass\nclass Facts:\n    x: int = 0"
    )
    assert audits(facts, facts, backend) == said


@pytest.mark.parametrize(
    ("kept", "line"),
    [
        ("def use(t: Tool):\n    run = t.run\n    def g():\n        run(1{})\n", 5),
        ("def use():\n    run = Tool.run\n    run(Tool(), 1{})\n", 4),
        ("run = Tool.make\nrun(1{})\n", 3),
    ],
)
def test_methods_that_are_kept_under_a_name(kept: str, line: int) -> None:
    old = TOOL + "    @classmethod\n    def make(cls, a, b=0): ...\n"
    new, use = old.replace(", b=0", ""), f"from lib.a import Tool\n{kept}"
    assert audits(old, old, use.format("")) == []
    assert compare(old, new, use.format("")) == []
    name = "make" if "make" in kept else "run"
    assert compare(old, new, use.format(", b=2")) == [f"parameter-removed lib.a.Tool.{name} breaks {line} b"]
