"""Objects of a class whose module moved, where one of its name without anything in common stands now."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

CLASS = "class Serving(Base):\n    def rank(self, r): ...\n    def kept(self): return 1\n"
OLD = {"lib/__init__.py": "", "lib/score/serving.py": f"class Base: ...\n{CLASS}"}
NEW = "class Other: ...\nclass Serving(Other):\n    def call(self): return 1\n"
PLUGIN = "from lib.score.serving import Serving\ndef f(s: Serving):\n    return s.rank(1)\n"


def moved(text: str) -> dict[str, str]:
    return {"lib/__init__.py": "", "lib/scoring/serving.py": text}


def told(new: dict[str, str], plugin: str = PLUGIN) -> list[str]:
    return [row for row in compare(OLD, new, plugin) if not row.startswith("module-moved")]


def test_the_other_class_has_no_such_attribute() -> None:
    assert told(moved(NEW)) == ["attribute-removed lib.score.serving.Serving.rank breaks 3 rank"]


@pytest.mark.parametrize(
    "new",
    [
        pytest.param(moved(NEW.replace("def call(self)", "def rank(self, r)")), id="it has it"),
        pytest.param(
            moved(NEW.replace("class Other: ...", "from torch import Other")), id="a base from outside"
        ),
        pytest.param(moved("class Apart:\n    def rank(self, r): ...\n"), id="no such class"),
    ],
)
def test_what_may_have_it(new: dict[str, str]) -> None:
    assert [row for row in told(new) if " breaks 3 " in row] == []


def test_a_test_for_it_is_no_break() -> None:
    plugin = PLUGIN.replace("return s.rank(1)", "return getattr(s, 'rank', None)")
    assert [row for row in told(moved(NEW), plugin) if " breaks 3 " in row] == []
