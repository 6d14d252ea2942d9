"""A caller of upstream newly passes what a method of upstream took before: the override takes it, and hands it on."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.planning.test_plan import migrated, text

OLD = """\
class Engine:
    def run(self, size, {taken}):
        return size

    def start(self):
        self.run(1)
"""
MINE = """\
from up.engine import Engine


class Mine(Engine):
    def run(self, size):
        return super().run(size)
"""


@pytest.mark.parametrize(("taken", "answered"), [("mode=None", True), ("**more", False)])
def test_what_is_newly_passed_is_taken_where_its_default_is_known(
    tmp_path: Path, taken: str, answered: bool
) -> None:
    old = OLD.format(taken=taken)
    more = ({"up/engine.py": old}, {"up/engine.py": old.replace("self.run(1)", "self.run(1, mode=2)")})
    done = migrated(tmp_path, MINE, ("helper(x, 2)", "helper(x, 3)"), more=more)
    after = MINE.replace("run(self, size)", "run(self, size, mode=None)").replace(
        "run(size)", "run(size, mode=mode)"
    )
    assert (text(done), len(done.unwritten)) == ((after, 0) if answered else ("", 1))
