"""Members that upstream lost: kept in a function, left out where nobody reads them, or read of the object."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.planning.test_plan import migrated, text

CAR = """\
class Car:
    def __init__(self, size):
        self.size = size

    def seats(self, more=0):
        return self.size + more
"""
BUS = "from up.car import Car\n\n\nclass Bus(Car):\n    def seats(self, more=0):\n        return 50\n"
SEATS = CAR[CAR.index("\n    def seats") :]
MINE = """\
from up.car import Car


def go(car: Car):
    total = 1 + car.seats(more=2)
    return total
"""


def mended(tmp_path: Path, mine: str, old: dict[str, str], new: dict[str, str]) -> str:
    return text(migrated(tmp_path, mine, ("helper(x, 2)", "helper(x, 3)"), more=(old, new)))


@pytest.mark.parametrize(
    ("car", "bus", "mine", "kept"),
    [
        (CAR, "", MINE, True),
        # Another class does something else, and is still there.
        (CAR, BUS, MINE, False),
        # What it reads is made otherwise now.
        (CAR.replace("self.size = size", "self.size = 0"), "", MINE, False),
        # A test of it is no statement that could be rewritten.
        (CAR, "", MINE.replace("total = 1 + car.seats(more=2)", "if car.seats():\n        total = 3"), False),
    ],
)
def test_a_method_of_another_object_becomes_a_function(
    tmp_path: Path, car: str, bus: str, mine: str, kept: bool
) -> None:
    old = {"up/car.py": CAR, "up/bus.py": bus}
    new = {"up/car.py": car.replace(SEATS, ""), "up/bus.py": bus}
    after = mended(tmp_path, mine, old, new)
    assert ("    total = 1 + _seats(car, more=2)\n    return total\n" in after) is kept
    assert ("\n\n\ndef _seats(self, more=0):\n" in after) is kept
    assert bool(after) is kept


OWN = "from up.car import Car\n\n\nclass Mine(Car):\n    def seats(self, more=0):\n        return super().seats(more) + 1\n"


def test_what_super_lost_becomes_a_function_too(tmp_path: Path) -> None:
    after = mended(tmp_path, OWN, {"up/car.py": CAR}, {"up/car.py": CAR.replace(SEATS, "")})
    assert "        return _seats(self, more) + 1\n" in after


@pytest.mark.parametrize(("use", "gone"), [("return car\n", True), ("return car, total\n", False)])
def test_a_value_that_nobody_reads_is_left_out(tmp_path: Path, use: str, gone: bool) -> None:
    mine = f"from up.car import Car\n\n\ndef go(car: Car):\n    print(1)\n    total = car.seats()\n    {use}"
    old = {"up/car.py": CAR, "up/bus.py": BUS}
    new = {"up/car.py": CAR.replace(SEATS, ""), "up/bus.py": BUS}
    after = mended(tmp_path, mine, old, new)
    assert after == (mine.replace("    total = car.seats()\n", "") if gone else "")


ROPE = """\
class Rope:
    def __init__(self):
        self.cache = []

    def match(self, query) -> list:
        cache = self.cache
        return cache

    def one(self, query):
        cache = self.match(query)
        return [query, cache]

    def two(self, query):
        found = self.match(query)
        for each in found:
            query.use(each)
        return query
"""
ROPE_NOW = """\
class Rope:
    def __init__(self):
        self.cache = []

    def match(self, query) -> None:
        self.cache = [*self.cache, query]

    def one(self, query):
        self.match(query)
        return [query, self.cache]

    def two(self, query):
        self.match(query)
        for each in self.cache:
            query.use(each)
        return query
"""
ROLLED = """\
from up.rope import Rope


class Rolled(Rope):
    def three(self, query):
        cache = self.match(query)
        return cache
"""


@pytest.mark.parametrize(
    ("now", "mine", "followed"),
    [
        (ROPE_NOW, ROLLED, True),
        # Upstream's callers do not agree.
        (ROPE_NOW.replace("[query, self.cache]", "[query, self.other]"), ROLLED, False),
        # Ours does not give it a name.
        (
            ROPE_NOW,
            ROLLED.replace("cache = self.match(query)\n        return cache", "return self.match(query)"),
            False,
        ),
    ],
)
def test_a_result_is_read_of_the_object_as_upstreams_callers_do(
    tmp_path: Path, now: str, mine: str, followed: bool
) -> None:
    after = mended(tmp_path, mine, {"up/rope.py": ROPE}, {"up/rope.py": now})
    assert (
        "        self.match(query)\n        cache = self.cache\n        return cache\n" in after
    ) is followed
    assert bool(after) is followed


LEVEL = 'class Meter:\n    {head}level(self):\n        """The level."""\n        return self.base + 1\n'
WATCH = "from up.meter import Meter\n\n\nclass Mine(Meter):\n    @property\n    def level(self):\n        return 3\n" \
    "\n    def show(self):\n        return self.level\n"  # fmt: skip


@pytest.mark.parametrize(("takes", "followed"), [("", True), (", unit", False)])
def test_a_property_that_became_a_method_of_another_name_is_both(
    tmp_path: Path, takes: str, followed: bool
) -> None:
    old = LEVEL.format(head="@property\n    def ")
    new = LEVEL.format(head="def ").replace("level(self)", f"get_level(self{takes})")
    after = mended(tmp_path, WATCH, {"up/meter.py": old}, {"up/meter.py": new})
    assert ("class Mine(Meter):\n    def get_level(self):\n" in after) is followed
    assert ("return self.get_level()\n" in after) is followed


def test_bodies_that_do_nothing_are_no_rename(tmp_path: Path) -> None:
    old = "class Meter:\n    def level(\n        self,\n    ) -> int:\n        raise NotImplementedError\n"
    mine = "from up.meter import Meter\n\n\nclass Mine(Meter):\n    def level(self):\n        return 3\n"
    use = (
        {"up/use.py": "def use(x):\n    return x.level()\n"},
        {"up/use.py": "def use(x):\n    return x.depth()\n"},
    )
    after = mended(
        tmp_path,
        mine,
        {"up/meter.py": old, **use[0]},
        {"up/meter.py": old.replace("level", "depth"), **use[1]},
    )
    assert after == ""


TYPES = "class Whole:\n    pass\n\n\nclass Part:\n    pass\n"
SAYS = """\
from up.engine import Engine
from up.types import Part


class Mine:
    def run(self, x: int, part: Part | None = None) -> int | Part:
        \"\"\"Run.\"\"\"
        return x
"""


@pytest.mark.parametrize(
    ("mine", "mended_to"),
    [
        (SAYS, '    def run(self, x: int, part=None) -> int:\n        """Run."""\n        return x\n'),
        # It is made when the program runs.
        (SAYS.replace("return x", "return Part()"), ""),
        # Somebody may read what variables of a class are annotated with.
        (SAYS + "    part: Part\n", ""),
        # So may who decorates.
        (SAYS.replace("    def run", "    @checked\n    def run"), ""),
    ],
)
def test_names_that_only_annotations_say_are_left_out(tmp_path: Path, mine: str, mended_to: str) -> None:
    old = {"up/types.py": TYPES, "up/engine.py": "class Engine:\n    pass\n"}
    new = {**old, "up/types.py": TYPES[: TYPES.index("\n\n\nclass Part")] + "\n"}
    after = mended(tmp_path, mine, old, new)
    assert ("from up.types" not in after and mended_to in after) if mended_to else after == ""


@pytest.mark.parametrize(
    ("now", "why"),
    [("x.base", "nothing calls level() there: see what up.use.use does instead"), ("x.level()", "")],
)
def test_the_author_of_a_dead_override_is_told_what_asked_for_it(tmp_path: Path, now: str, why: str) -> None:
    old = "class Meter:\n    base = 1\n\n    def level(self):\n        return [self.base]\n"
    done = migrated(
        tmp_path,
        "from up.meter import Meter\n\n\nclass Mine(Meter):\n    def level(self):\n        return [3, self.base]\n",
        ("helper(x, 2)", "helper(x, 3)"),
        more=(
            {"up/meter.py": old, "up/use.py": "def use(x):\n    return x.level()\n"},
            {
                "up/meter.py": "class Meter:\n    base = 1\n",
                "up/use.py": f"def use(x):\n    return {now}, 1\n",
            },
        ),
    )
    assert [left.why for left in done.unwritten] == ([why] if why else [])
