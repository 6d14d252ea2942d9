"""Arguments that upstream's own callers pass by another name now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from syncbot.impact.model import Impact, Location
from tests.planning.test_plan import migrated, text

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


def of_both(found: Sequence[Impact]) -> Sequence[Impact]:
    """One impact for the calls in both arms."""
    return [replace(i, locations=(Location("src/plugin/mine.py", 6, 9), *i.locations)) for i in found]


def test_calls_in_the_arms_of_a_test_of_versions_need_an_author(tmp_path: Path) -> None:
    """The first is written for the new signature already."""
    before = "def start(tp=1, pp=1, decode=1, backend=None): ...\n\n\ndef run(x):\n    start(1, 2)\n"
    after = before.replace("decode=1", "prefill=1, decode=1")
    own = (
        "from up.start import start\n\n\ndef build(x):\n    if x.new:\n"
        "        start(x.tp, x.pp, x.prefill, x.decode)\n    else:\n        start(x.tp, x.pp, x.decode)\n"
    )
    more = ({"up/start.py": before}, {"up/start.py": after})
    done = migrated(tmp_path, own, ("class Base:", "class Base:  # one"), more=more, told=of_both)
    assert text(done) == ""
    assert "written for another version" in done.unwritten[0].why


ATTENTION = """\
class Attention:
    def __init__(self, size, theta=10000, window=None, layers=None):
        self.size, self.theta = size, theta
        self.window = window if layers and layers[0] == "sliding" else None


class Layer:
    def __init__(self, config):
        self.attention = Attention(size=config.size, theta=config.theta, window=config.window, layers=config.layers)
"""
ROPE = """\
class Attention:
    def __init__(self, size, rope=None, window=None, use_rope=True):
        self.size, self.rope, self.window, self.use_rope = size, rope, window, use_rope


def _rope(config, kind):
    return {"theta": config.theta}


class Layer:
    def __init__(self, config):
        kind = config.layers[0]
        window = config.window if kind == "sliding" else None
        self.attention = Attention(size=config.size, rope=_rope(config, kind), window=window, use_rope=config.use)
"""
LAYER = """\
from up.attention import Attention, Layer


def _init(self, config):
    self.attention = Attention(size=config.size, theta=config.theta, window=config.window, layers=config.layers)
"""


@pytest.mark.parametrize("stands_in", [True, False])
def test_what_other_arguments_say_now_is_not_just_left_out(tmp_path: Path, stands_in: bool) -> None:
    """Without the angle, and with the window in each layer, the call would bind and compute something else."""
    own = LAYER + ("\n\nLayer.__init__ = _init\n" if stands_in else "")
    done = migrated(
        tmp_path, own, ("class Base:", "class Base:  # one"),
        more=({"up/attention.py": ATTENTION}, {"up/attention.py": ROPE}),
    )  # fmt: skip
    if stands_in:
        assert "rope=_rope(config, kind), window=window, use_rope=config.use)" in text(done)
        assert 'window = config.window if kind == "sliding" else None' in text(done).replace("'", '"')
    else:
        assert text(done) == ""
        assert "the value may have to go into rope, use_rope now" in done.unwritten[0].why
