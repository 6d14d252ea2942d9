"""Rewrites of a patch lead back to where they began, in the other order."""

from __future__ import annotations

import pytest

from syncbot.patching.registry import Rule
from syncbot.patching.rewrites.import_moved import ImportMoved
from syncbot.patching.rewrites.replace_statement import ReplaceStatement
from syncbot.planning.way_back import leads_back, turned

TEXT = "from up.old import f\n\nx = f(1)\n"
MOVED = ImportMoved(old="up.old.f", new="up.new.f")
PLACED = ReplaceStatement(file="mine.py", before="x = f(1)", after="x = f(1, 2)")


@pytest.mark.parametrize("rules", [[MOVED], [PLACED], [PLACED, MOVED]])
def test_rewrites_that_can_be_undone(rules: list[Rule]) -> None:
    assert leads_back(rules, {"mine.py": TEXT, "other.py": "y = 1\n"})


def test_what_becomes_like_something_else_cannot() -> None:
    """Undone, both statements would be the first one."""
    assert not leads_back([PLACED], {"mine.py": f"{TEXT}\n\ndef g():\n    pass\n\n\nx = f(1, 2)\n"})


def test_turned_rules_undo_them_in_order() -> None:
    assert turned([MOVED, PLACED]) == (MOVED.mirror(), PLACED.mirror())
