"""Values from upstream's code: for the result of an override, and for the argument to a part of an object."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.planning.test_plan import migrated, text

BASE = "class Base:\n    def __init__(self, config):\n        self.config = config\n\n    def warm(self) -> None:\n" \
    "        raise NotImplementedError\n"  # fmt: skip
OTHER = (
    "from up.root import Base\n\n\nclass Other(Base):\n    def warm(self) -> None:\n        self.done = 1\n"
)
USER = "def use(x):\n    return x.warm()\n"
MINE = "from up.root import Base\n\n\nclass Mine(Base):\n    def warm(self) -> None:\n        self.mine = 2\n"


@pytest.mark.parametrize(
    ("mine", "given", "followed"),
    [
        (MINE, "self.config.time", True),
        (MINE, "self.done", False),
        (
            MINE + "        if self.mine:\n            return\n        self.mine = 3\n",
            "self.config.time",
            False,
        ),
    ],
)
def test_an_override_gives_what_upstreams_own_give(
    tmp_path: Path, mine: str, given: str, followed: bool
) -> None:
    root = BASE.replace("warm(self) -> None", "warm(self) -> float")
    other = OTHER.replace("-> None", "-> float") + f"        return {given}\n"
    user = USER.replace("return x.warm()", "return x.warm() + 1")
    done = migrated(
        tmp_path, mine, ("helper(x, 2)", "helper(x, 3)"),
        more=({"up/root.py": BASE, "up/other.py": OTHER, "up/user.py": USER},
              {"up/root.py": root, "up/other.py": other, "up/user.py": user}),
    )  # fmt: skip
    assert (f"        self.mine = 2\n        return {given}\n" in text(done)) is followed
    assert bool(text(done)) is followed


PART = "class Part:\n    def set(self, mode=None):\n        return mode\n"
WHOLE = """\
from up.part import Part


class Whole:
    def __init__(self, part: Part, modes):
        self.part: Part = part
        self.modes = modes

    def ready(self):
        self.part.set(mode=self.modes.first)
"""
HOLDER = """\
from up.whole import Whole


def go(other, whole: Whole):
    part = whole.part
    part.set()
"""


@pytest.mark.parametrize(
    ("mine", "value", "followed"),
    [
        (HOLDER, "self.modes.first", True),
        (HOLDER, "make(self.modes)", False),
        (HOLDER.replace("    part = whole.part\n", "    whole = other\n    part = whole.part\n"), "self.modes.first", False),
    ],
)  # fmt: skip
def test_a_part_of_an_object_gets_what_its_owner_passes(
    tmp_path: Path, mine: str, value: str, followed: bool
) -> None:
    part = PART.replace("mode=None", "mode")
    whole = WHOLE.replace("self.modes.first", value)
    done = migrated(
        tmp_path, mine, ("helper(x, 2)", "helper(x, 3)"),
        more=({"up/part.py": PART, "up/whole.py": WHOLE}, {"up/part.py": part, "up/whole.py": whole}),
    )  # fmt: skip
    assert ("part.set(mode=whole.modes.first)" in text(done)) is followed
    assert bool(text(done)) is followed
