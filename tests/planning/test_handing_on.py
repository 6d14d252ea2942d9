"""A parameter that an override newly takes goes where upstream hands it to, or the plan says that it does not."""

from __future__ import annotations

from pathlib import Path

import pytest

from syncbot.planning.plan import Plan
from tests.planning.test_plan import migrated, text

OLD = """\
class Engine:
    def run(self, size):
        return self.work(size)

    def work(self, size):
        return size

    def start(self):
        self.run(1)
"""
NEW = """\
class Engine:
    def run(self, size, mode=None):
        return self.work(size, {passed})

    def work(self, size, {taken}):
        return size

    def start(self):
        self.run(1, mode=2)
"""
MINE = """\
from up.engine import Engine


class Mine(Engine):
    def run(self, size):
        self.count = 1
        return {returned}
"""


def done(tmp_path: Path, returned: str, passed: str = "mode=mode", taken: str = "mode=None") -> Plan:
    new = NEW.format(passed=passed, taken=taken)
    more = ({"up/engine.py": OLD}, {"up/engine.py": new})
    return migrated(tmp_path, MINE.format(returned=returned), ("helper(x, 2)", "helper(x, 3)"), more=more)


@pytest.mark.parametrize(
    ("passed", "taken", "after"),
    [
        ("mode=mode", "mode=None", "self.work(size, mode=mode)"),
        ("mode", "mode=None", "self.work(size, mode=mode)"),
        ("kind=mode", "kind=1", "self.work(size, kind=mode)"),
    ],
)
def test_the_call_that_upstream_hands_it_to_gets_it(
    tmp_path: Path, passed: str, taken: str, after: str
) -> None:
    plan = done(tmp_path, "self.work(size)", passed, taken)
    assert f"    def run(self, size, mode=None):\n        self.count = 1\n        return {after}\n" in text(
        plan
    )
    assert [mended.notes for mended in plan.rewritten] == [()]


@pytest.mark.parametrize(
    ("returned", "passed"),
    [
        pytest.param("size", "mode=mode", id="no such call here"),
        pytest.param("self.work(size) + self.work(1)", "mode=mode", id="two such calls"),
        pytest.param("self.work(*[size])", "mode=mode", id="a call that hides what it passes"),
        pytest.param("self.work(size)", "mode=3", id="upstream hands on something else"),
        pytest.param("other.work(size)", "mode=mode", id="a call of something else"),
    ],
)
def test_what_goes_nowhere_is_told(tmp_path: Path, returned: str, passed: str) -> None:
    plan = done(tmp_path, returned, passed)
    assert f"        return {returned}\n" in text(plan)
    assert [mended.notes for mended in plan.rewritten] == [("mode is taken and not used",)]


def test_what_the_base_gets_goes_somewhere(tmp_path: Path) -> None:
    plan = done(tmp_path, "super().run(size)")
    assert "return super().run(size, mode=mode)" in text(plan)
    assert [mended.notes for mended in plan.rewritten] == [()]


SECOND = """

class Second(Engine):
    def run(self, size):
        return size
"""


@pytest.mark.parametrize(
    ("first", "note"),
    [
        pytest.param("size", "mode is taken and not used", id="used in neither"),
        pytest.param(
            "self.work(size)", "mode is taken and not used in src/plugin/mine.py:11", id="used in one"
        ),
    ],
)
def test_overrides_that_pass_it_nowhere_are_told_once(tmp_path: Path, first: str, note: str) -> None:
    plan = done(tmp_path, f"{first}\n{SECOND}")
    assert [mended.notes for mended in plan.rewritten] == [(note,)]
