"""Calls of a constructor that a decorator makes of fields, by the class or by ``super()``."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

OLD = """
from dataclasses import dataclass
@dataclass
class Cfg:
    x: int = 1
    gone: int = 2
"""
NEW = OLD.replace("    gone: int = 2\n", "")
HEAD = "from lib.a import Cfg\n\n\nclass Own(Cfg):\n    def __init__(self, *more, **rest):\n        "


@pytest.mark.parametrize(
    ("call", "subject"),
    [
        ("Cfg.__init__(self, gone=1)", "gone"),
        ("Cfg.__init__(self, 1, 2)", "1"),
        ("super().__init__(gone=1)", "gone"),
        ("super().__init__(1, 2)", "1"),
    ],
)
def test_a_field_that_is_gone_is_not_taken(call: str, subject: str) -> None:
    assert compare(OLD, NEW, f"{HEAD}{call}\n") == [f"parameter-removed lib.a.Cfg breaks 6 {subject}"]


@pytest.mark.parametrize(
    "call", ["Cfg.__init__(self, x=1)", "Cfg.__init__(self, **rest)", "super().__init__(*more)"]
)
def test_what_is_taken_still_is_not_told(call: str) -> None:
    assert compare(OLD, NEW, f"{HEAD}{call}\n") == []


def test_a_constructor_between_is_what_is_called() -> None:
    plugin = f"{HEAD}pass\n\n\nclass Last(Own):\n    def __init__(self):\n        super().__init__(gone=1)\n"
    assert compare(OLD, NEW, plugin) == []
    mixed = HEAD.replace("(Cfg)", "(Mixin, Cfg)")
    plugin = f"{mixed}super().__init__(gone=1)\n\n\nclass Mixin:\n    def __init__(self, gone): ...\n"
    assert compare(OLD, NEW, plugin) == []
