"""Arguments that upstream's own callers pass by another name now."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.migrate.test_plan import migrated, text

UP = """\
class Data:
    def __init__(self, size, width=0):
        self.size = size


def one(x):
    return Data(size=x.size, width=x.width)


def two(x):
    return Data(size=3)


def three(x):
    return Data(size=x.count())
"""
OWN = "from up.data import Data\n\n\ndef build(n):\n    return Data(size=n, width=n + 1)\n"


@pytest.mark.parametrize(
    ("one", "two", "three", "expected"),
    [
        ("_size=x.size, width=x.width", "_size=3", "_size=x.count()", "Data(width=n + 1, _size=n)"),
        ("_size=x.size, width=x.width", "_size=3", "_size=x.last", "Data(width=n + 1, _size=n)"),
        ("_size=x.size, width=x.width", "_size=4", "_size=x.last", ""),
        ("_size=x.size, width=x.width", "_size=3", "width=x.count()", ""),
        ("width=x.width", "", "", ""),
    ],
    ids=["all", "all, one with another value", "one alike", "not all", "none"],
)
def test_an_argument_has_the_name_by_which_all_of_upstreams_callers_pass_it(
    tmp_path: Path, one: str, two: str, three: str, expected: str
) -> None:
    after = UP.replace("self, size,", "self, _size=None,").replace("= size", "= _size")
    after = after.replace("size=x.size, width=x.width", one).replace("size=3", two)
    after = after.replace("size=x.count()", three)
    done = migrated(
        tmp_path, OWN, ("class Base:", "class Base:  # one"), more=({"up/data.py": UP}, {"up/data.py": after})
    )
    assert text(done) == (OWN.replace("Data(size=n, width=n + 1)", expected) if expected else "")
    assert bool(done.unwritten) is not bool(expected)
