"""A rewrite after which the call or the override would still fail is refused, or does all that is needed."""

from __future__ import annotations

from pathlib import Path

from tests.planning.test_plan import migrated, text

UP = """\
class Base:
    def run(self, x):
        return x

    def go(self):
        return self.run(1)


def helper(x):
    return x


def user(y):
    return helper(1)
"""
GAINED = UP.replace("run(self, x)", "run(self, x, a)").replace("run(1)", "run(1, a=2)")
HEAD = "from up.base import Base\n\n\nclass Mine(Base):\n"


def test_a_parameter_before_others_that_stay_required_is_refused(tmp_path: Path) -> None:
    mine = HEAD + "    def run(self, x, p, q, r):\n        return x\n"
    done = migrated(tmp_path, mine, (UP, GAINED), base=UP)
    assert not done.changes
    assert [left.why for left in done.unwritten] == [
        "it would still fail after the rewrite: up.base.Base.run() has no p, which this override requires"
    ]


def test_parameters_that_come_together_are_taken_together(tmp_path: Path) -> None:
    new = GAINED.replace("x, a)", "x, a, b)").replace("a=2", "a=2, b=3")
    done = migrated(tmp_path, HEAD + "    def run(self, x):\n        return x\n", (UP, new), base=UP)
    assert "def run(self, x, a, b):" in text(done)
    assert not done.unwritten


def test_a_call_that_lacks_one_of_two_values_stays(tmp_path: Path) -> None:
    new = UP.replace("helper(x)", "helper(x, y, z)").replace("helper(1)", "helper(1, y, z=y)")
    mine = "from up.base import helper\n\n\ndef f(y):\n    return helper(1)\n"
    done = migrated(tmp_path, mine, (UP, new), base=UP)
    assert not done.changes
    assert {left.why for left in done.unwritten} == {"it now requires z, and nothing shows what to pass here"}
