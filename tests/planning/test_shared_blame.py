"""A new problem takes back only the rewrites with which it comes back, not all that might have made it."""

from __future__ import annotations

from pathlib import Path

import pytest

from syncbot.planning import proven_answers
from syncbot.planning.plan import Plan
from tests.planning.test_plan import migrated, text

OLD = """\
def pick(x):
    return x


def build(x):
    return x
"""
NEW = """\
def build(x, groups):
    return x, groups
"""
FIRST = {
    "up/tools.py": OLD,
    "up/first.py": "from up.tools import build, pick\n\n\ndef start():\n    return build(1), pick(1)\n",
}
LAST = {
    "up/tools.py": NEW,
    "up/picks.py": OLD.partition("\n\ndef build")[0],
    "up/first.py": "from up import picks, tools\n\n\ndef start():\n    return tools.build(1, 2), picks.pick(1)\n",
}
MINE = """\
import up.first
from up.tools import pick


def ours(x):
    return pick(x)


kept = up.first.build
up.first.build = ours
"""


def done(tmp_path: Path, mine: str) -> Plan:
    return migrated(tmp_path, mine, ("helper(x, 2)", "helper(x, 3)"), more=(FIRST, LAST))


def test_what_is_not_to_blame_is_rewritten(tmp_path: Path) -> None:
    plan = done(tmp_path, MINE)
    assert "from up.picks import pick\n" in text(plan)
    assert "kept = up.first.build\n" in text(plan)
    assert [mended.impact.symbol for mended in plan.rewritten] == ["up.tools.pick"]
    assert "newly break src/plugin/mine.py: parameter-required groups" in plan.unwritten[0].why


def test_what_is_to_blame_alone_is_not(tmp_path: Path) -> None:
    plan = done(tmp_path, MINE.replace("from up.tools import pick\n", "").replace("pick(x)", "x"))
    assert text(plan) == ""
    assert "newly break src/plugin/mine.py: parameter-required groups" in plan.unwritten[0].why


def test_nothing_is_taken_back_that_breaks_nothing(tmp_path: Path) -> None:
    plan = done(tmp_path, MINE.replace("def ours(x):", "def ours(x, groups=None):"))
    assert "from up.picks import pick\n" in text(plan)
    assert "kept = up.tools.build\n" in text(plan)


def test_there_is_an_end_to_trying_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proven_answers, "_AGAIN", 0)
    plan = done(tmp_path, MINE)
    assert text(plan) == ""
    assert "newly break" in plan.unwritten[0].why
