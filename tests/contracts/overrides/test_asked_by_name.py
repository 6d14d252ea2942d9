"""Methods without a base's declaration that upstream has called by their names."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

LIB = """
class Base:
    def load(self): ...


class Worker(Base):
    def profile(self, start{more}): ...


class Executor:
    def profile(self, start, prefix=None):
        self.everybody("profile", {given})
"""
OLD = LIB.format(more="", given="args=(start,)")
NEW = LIB.format(more=", prefix=None", given="args=(start, prefix)")
MINE = "from lib.a import Base\n\n\nclass Mine(Base):\n    def profile(self, start=True): ...\n"
BREAKS = ["parameter-passed lib.a.Worker.profile breaks 5 prefix"]


@pytest.mark.parametrize(
    "given",
    ["args=(start, prefix)", "kwargs={'start': start, 'prefix': prefix}",
     "kwargs=dict(start=start, prefix=prefix)", "args=(start,), kwargs={'prefix': prefix}"],
)  # fmt: skip
def test_what_is_asked_with_more_than_ours_takes(given: str) -> None:
    assert compare(OLD, LIB.format(more=", prefix=None", given=given), MINE) == BREAKS


@pytest.mark.parametrize(
    ("new", "mine"),
    [
        pytest.param(NEW, MINE.replace("start=True", "start=True, prefix=''"), id="takes it"),
        pytest.param(NEW, MINE.replace("start=True", "*args"), id="takes anything"),
        pytest.param(NEW, MINE.replace("(Base)", ""), id="nothing of upstream's"),
        pytest.param(NEW, MINE.replace("profile", "profiles"), id="another name"),
        pytest.param(OLD.replace('"profile", ', '"profile", more, '), MINE, id="handed on otherwise"),
        pytest.param(NEW.replace("Worker(Base)", "Worker"), MINE, id="no other class of that base has it"),
        pytest.param(LIB.format(more=", prefix=None", given="args=all"), MINE, id="not written out"),
        pytest.param(NEW.replace(", prefix=None): ...", "): ..."), MINE, id="that class refuses it as well"),
    ],
)
def test_what_fits_or_is_not_seen(new: str, mine: str) -> None:
    assert compare(OLD, new, mine) == []


def test_what_never_fitted_is_no_news() -> None:
    never = MINE.replace("start=True", "")
    assert compare(OLD, NEW, never) == []
