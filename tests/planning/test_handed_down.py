"""A value that only the callers of a method have is handed down to it."""

from __future__ import annotations

from pathlib import Path

import pytest

from .test_plan import migrated, text

OLD = """\
class Base:
    def __init__(self, size, pin):
        self.size = size

    def run(self):
        (
            order,
            other,
        ) = self.state
        out = self.pick(other)
        return out

    def pick(self, other):
        self.done(other)
        return other

    def done(self, other):
        print(other)
"""
MINE = """\
from up.base import Base


class Mine(Base):
    def run(self):
        (
            order,
            other,
        ) = self.state
        return self.pick(other)

    def pick(self, other):
        self.done(other)
        return other
"""
CHANGES = (
    ("        out = self.pick(other)\n", "        out = self.pick(other)\n        self.done(other, order)\n"),
    ("        self.done(other)\n        return other", "        return other"),
    ("def done(self, other)", "def done(self, other, order)"),
)


def test_every_caller_hands_the_value_down(tmp_path: Path) -> None:
    done = migrated(tmp_path, MINE, *CHANGES, base=OLD)
    assert "return self.pick(other, order=order)" in text(done)
    assert "def pick(self, other, order=None):" in text(done)
    assert "self.done(other, order=order)" in text(done)
    assert not done.unwritten


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # It is another thing here.
        (") = self.state", ") = self.states"),
        # Upstream's own method calls it, and would go without.
        ("    def run(self):", "    def other_run(self):"),
        ("        return self.pick(other)\n", "        super().run()\n        return self.pick(other)\n"),
        # Who calls it then is not known.
        ("return self.pick(other)", "return map(self.pick, other)"),
        ("return self.pick(other)", "return self.pick(*other)"),
        # Nobody calls it.
        ("return self.pick(other)", "return other"),
    ],
)
def test_where_a_caller_is_not_known_or_has_no_such_value_an_author_is_needed(
    tmp_path: Path, old: str, new: str
) -> None:
    assert old in MINE
    done = migrated(tmp_path, MINE.replace(old, new), *CHANGES, base=OLD)
    assert [left.why for left in done.unwritten] == [
        "it now requires order, and nothing shows what to pass here"
    ]
    assert not done.changes


def test_who_else_calls_upstreams_method_counts(tmp_path: Path) -> None:
    changes = (
        ("def done(self, other)", "def more(self):\n        self.pick(1)\n\n    def done(self, other)"),
    )
    done = migrated(tmp_path, MINE, *CHANGES[:2], *changes, CHANGES[2], base=OLD)
    assert len(done.unwritten) == 1
