"""A base that is gone is one loss: what came through it is not told again."""

from __future__ import annotations

from tests.contracts.world import compare

BASE = "class Base:\n    def help(self):\n        return 1\n"
MID = "\n\nclass Mid(Base):\n    pass\n"
OWN = "from lib.a import Mid\n\n\nclass Own(Mid):\n    def go(self):\n        return self.help()\n"


def test_what_came_through_a_lost_base_is_told_at_its_import() -> None:
    assert compare(BASE + MID, BASE, OWN) == ["symbol-removed lib.a.Mid breaks 1"]


def test_what_a_base_lost_is_told() -> None:
    new = BASE.replace("def help", "def assist") + MID
    assert any(row.startswith("attribute-re") for row in compare(BASE + MID, new, OWN))


def test_what_a_base_that_upstream_alone_names_lost_is_told() -> None:
    old = BASE + MID.replace("(Base)", "(Between)").replace(
        "\n\nclass", "\n\nclass Between(Base):\n    pass\n\n\nclass"
    )
    new = BASE + "\n\nclass Mid:\n    pass\n"
    assert any(row.startswith("attribute-removed") for row in compare(old, new, OWN))


PARSER = "class Parser:\n    def __init__(self):\n        self.seen = []\n"
WRITTEN = PARSER + "\nclass Mine(Parser):\n    def find(self):\n        return 1\n"
MADE = PARSER + "\ndef adapt(name):\n    return type(name, (Parser,), {})\n\nMineBase = adapt('MineBase')\n"
READS = "from lib.a import Mine\n\ndef use(mine: Mine):\n    return mine.seen\n"
PATCHES = "from lib.a import Mine\n\ndef find(self):\n    return 2\n\nMine.find = find\n"


def test_a_base_that_is_made_when_the_program_runs_may_have_anything() -> None:
    new = MADE + "\nclass Mine(MineBase):\n    pass\n"
    assert compare(WRITTEN, new, READS) == ["attribute-removed lib.a.Parser.seen at-risk 4 seen"]
    assert compare(WRITTEN, new, PATCHES) == ["patch-target-removed lib.a.Mine.find at-risk 6 find"]


def test_a_base_from_another_package_brings_no_upstream_member() -> None:
    new = PARSER + "\nfrom foreign import Thing\n\nclass Mine(Thing):\n    pass\n"
    assert compare(WRITTEN, new, READS) == ["attribute-removed lib.a.Parser.seen breaks 4 seen"]


def test_a_base_that_was_made_before_as_well_explains_nothing() -> None:
    old = MADE + "\nclass Mine(MineBase):\n    def find(self):\n        return 1\n"
    new = MADE + "\nclass Mine(MineBase):\n    pass\n"
    assert compare(old, new, PATCHES) == ["patch-target-removed lib.a.Mine.find breaks 6 find"]
