"""Optional parameters that an override gains: their defaults, the base's method, and calls of our own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.planning.test_plan import migrated, text

OLD = """\
from up.modes import Mode, start


class Engine:
    def run(self, size):
        return start(size)

    def draft(self, size):
        return self.run(size)

    def propose(self, size):
        return self.draft(size), self.plain(size)

    def plain(self, size):
        return self.run(size), 1
"""
MODES = "class Mode:\n    NONE = 0\n    FULL = 1\n\n\ndef start(size): ...\n"
NEW = (
    OLD.replace("def run(self, size)", "def run(self, size, mode=Mode.NONE)")
    .replace("return start(size)", "return start(size), mode")
    .replace("self.run(size)", "self.run(size, mode=Mode.FULL)", 1)
)
MINE = """\
from up.engine import Engine


class Mine(Engine):
    def run(self, size):
        return super().run(size)
"""


def done(tmp_path: Path, mine: str) -> str:
    more = ({"up/engine.py": OLD, "up/modes.py": MODES}, {"up/engine.py": NEW, "up/modes.py": MODES})
    return text(migrated(tmp_path, mine, ("helper(x, 2)", "helper(x, 3)"), more=more))


def test_the_base_gets_it_and_the_name_of_its_default_is_imported(tmp_path: Path) -> None:
    assert done(tmp_path, MINE) == (
        "from up.engine import Engine\n"
        "from up.modes import Mode\n\n\n"
        "class Mine(Engine):\n"
        "    def run(self, size, mode=Mode.NONE):\n"
        "        return super().run(size, mode=mode)\n"
    )


def test_the_method_of_a_mixin_takes_it(tmp_path: Path) -> None:
    """A class gives the method no text of its own: what is rewritten is the mixin's."""
    mixin = MINE.replace("class Mine(Engine)", "class Mixin") + "\n\nclass Mine(Mixin, Engine): ...\n"
    made = done(tmp_path, mixin)
    assert "    def run(self, size, mode=Mode.NONE):\n        return super().run(size, mode=mode)\n" in made


def test_the_base_gets_it_by_its_name(tmp_path: Path) -> None:
    made = done(tmp_path, MINE.replace("super().run(size)", "Engine.run(self, size)"))
    assert (
        "    def run(self, size, mode=Mode.NONE):\n        return Engine.run(self, size, mode=mode)\n" in made
    )
    other = "class Other:\n    def run(self, size): ...\n\n\nclass Mine"
    made = done(
        tmp_path / "other",
        MINE.replace("class Mine", other).replace("super().run(size)", "Other.run(self, size)"),
    )
    assert "        return Other.run(self, size)\n" in made


def test_the_base_gets_it_from_those_that_call_it(tmp_path: Path) -> None:
    made = done(
        tmp_path, MINE + "\n\nclass Another(Engine):\n    def run(self, size):\n        return size\n"
    )
    assert "        return super().run(size, mode=mode)\n" in made
    assert "class Another(Engine):\n    def run(self, size, mode=Mode.NONE):\n        return size\n" in made


def test_a_default_whose_name_is_taken_is_none_and_the_base_keeps_its_own(tmp_path: Path) -> None:
    kept = done(tmp_path, MINE.replace("import Engine\n", "import Engine\n\nMode = 3\n"))
    assert "def run(self, size, mode=None):\n        return super().run(size)\n" in kept


def test_what_hides_its_arguments_from_the_base_hands_nothing_on(tmp_path: Path) -> None:
    kept = done(tmp_path, MINE.replace("super().run(size)", "super().run(*[size])"))
    assert "mode=Mode.NONE):\n        return super().run(*[size])\n" in kept


@pytest.mark.parametrize(("call", "followed"), [("self.run(size)", True), ("self.run(*size)", False)])
def test_a_call_that_stands_in_for_upstreams_goes_without_it(
    tmp_path: Path, call: str, followed: bool
) -> None:
    mine = f"{MINE}\n\ndef plain(self, size):\n    return {call}\n\n\nEngine.plain = plain\n"
    kept = done(tmp_path, mine)
    assert ("def run(self, size, mode=Mode.NONE)" in kept) is followed
    assert bool(kept) is followed
