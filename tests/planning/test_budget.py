"""A plan that has too little time says so, and rewrites nothing that it has not proven."""

from __future__ import annotations

from pathlib import Path

import pytest

from syncbot.planning import plan as planning
from syncbot.planning.budget import NO_TIME, Budget, OutOfTime

from .test_plan import MINE, migrated

CHANGES = (("make(self.size)", "make(self.size, kind=self.size)"), ("make(size)", "make(size, kind)"))


def asked(monkeypatch: pytest.MonkeyPatch, times: float) -> Budget:
    """A budget that lasts for so many questions, given to every plan."""
    ticks = iter(range(10_000))
    budget = Budget(times, lambda: next(ticks))
    monkeypatch.setattr(planning, "Budget", lambda: budget)
    return budget


@pytest.mark.parametrize("times", [0, 1, 3, 4])
def test_without_time_everything_is_left_to_a_migration(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, times: int
) -> None:
    budget = asked(monkeypatch, times)
    done = migrated(tmp_path, MINE, *CHANGES)
    assert [left.why for left in done.unwritten] == [NO_TIME]
    assert not done.rewritten
    assert not done.changes
    with pytest.raises(OutOfTime):
        budget.check()


def test_with_enough_time_it_is_rewritten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked(monkeypatch, 50)
    done = migrated(tmp_path, MINE, *CHANGES)
    assert len(done.rewritten) == 1
    assert not done.unwritten
