"""A copy's own name for a variable of upstream's method, told by the calls that both make."""

from __future__ import annotations

from pathlib import Path

import pytest

from .test_plan import migrated, text

OLD = """\
class Base:
    def __init__(self, size, pin):
        self.size = size

    def prepare(self):
        rows = load(self.size)
        keys = load(self.size + 1)
        gather(rows)
        place(rows, keys)
        return slots(keys)


def load(size):
    return size


def gather(rows):
    return rows


def place(rows, keys):
    return rows, keys


def slots(keys):
    return keys
"""
MINE = """\
from up.base import Base, gather, place, slots


class Mine(Base):
    def prepare(self):
        rows = [1]
        rows_npu = tuple(rows)
        keys = (2, 3)
        gather(rows_npu)
        place(rows_npu, keys)
        return slots(keys)
"""
CHANGES = (("return slots(keys)", "return slots(rows, keys)"), ("def slots(keys)", "def slots(rows, keys)"))


def test_the_variable_that_both_pass_to_the_same_calls_is_meant(tmp_path: Path) -> None:
    done = migrated(tmp_path, MINE, *CHANGES, base=OLD)
    assert "return slots(rows_npu, keys)" in text(done)
    assert not done.unwritten


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # One call may be chance.
        ("        gather(rows_npu)\n", ""),
        # Another call passes something else.
        ("gather(rows_npu)", "gather(rows)"),
        ("gather(rows_npu)", "gather(rows_npu + keys)"),
        # It is meant to be something else of upstream's, too.
        ("place(rows_npu, keys)", "place(rows_npu, rows_npu)"),
        # It is not set on every way, or set twice.
        ("        rows_npu = tuple(rows)\n", "        if rows:\n            rows_npu = tuple(rows)\n"),
        ("        return slots", "        rows_npu = ()\n        return slots"),
        # What is called is not upstream's.
        ("Base, gather, place, slots", "Base, place, slots\nfrom other import gather"),
    ],
)
def test_without_two_witnesses_an_author_is_needed(tmp_path: Path, old: str, new: str) -> None:
    assert old in MINE
    done = migrated(tmp_path, MINE.replace(old, new), *CHANGES, base=OLD)
    assert len(done.unwritten) == 1
    assert "slots(rows_npu" not in text(done)
