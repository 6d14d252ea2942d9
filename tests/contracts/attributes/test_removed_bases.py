"""A base that is gone is one loss: what came through it is not told again."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare, findings

BASE = "class Base:\n    def help(self):\n        return 1\n"
MID = "\n\nclass Mid(Base):\n    pass\n"
OWN = "from lib.a import Mid\n\n\nclass Own(Mid):\n    def go(self):\n        return self.help()\n"


def test_what_came_through_a_lost_base_is_told_at_its_import() -> None:
    assert compare(BASE + MID, BASE, OWN) == ["symbol-removed lib.a.Mid breaks 1"]


@pytest.mark.parametrize("spelled", [[], ["b"]])
def test_a_lost_base_of_a_package_that_answers_for_some_names(spelled: list[str]) -> None:
    """A ``__getattr__`` above may give anything, and gives no modules that an import statement asks for."""
    package = (
        f"def __getattr__(name):\n    if name in {spelled}:\n        return 1\n    raise AttributeError\n"
    )
    old = {"lib/__init__.py": package, "lib/a.py": "", "lib/b/__init__.py": "", "lib/b/c.py": BASE}
    new = {"lib/__init__.py": package, "lib/a.py": ""}
    rows = compare(old, new, OWN.replace("lib.a", "lib.b.c").replace("Mid", "Base"))
    assert rows == ["module-removed lib.b.c breaks 1"]


def test_what_a_base_lost_is_told() -> None:
    new = BASE.replace("def help", "def assist") + MID
    assert any(row.startswith("attribute-re") for row in compare(BASE + MID, new, OWN))


def test_what_a_base_that_upstream_alone_names_lost_is_told() -> None:
    old = BASE + MID.replace("(Base)", "(Between)").replace(
        "\n\nclass", "\n\nclass Between(Base):\n    pass\n\n\nclass"
    )
    new = BASE + "\n\nclass Mid:\n    pass\n"
    assert any(row.startswith("attribute-removed") for row in compare(old, new, OWN))


PARSER = "class Parser:\n    def __init__(self):\n        self.seen = []\n\n    def scan(self):\n        return 0\n"
WRITTEN = (
    PARSER
    + "\nclass Mine(Parser):\n    def scan(self):\n        return 1\n\n    def find(self):\n        return 1\n"
)
MADE = PARSER + "\ndef adapt(name):\n    return type(name, (Parser,), {})\n\nMineBase = adapt('MineBase')\n"
NOW = MADE + "\nclass Mine(MineBase):\n    pass\n"
READS = "from lib.a import Mine\n\ndef use(mine: Mine):\n    return mine.{}\n"
TAKES = "from lib.a import Mine\n\nbefore = Mine.{}\n"
PATCHES = "from lib.a import Mine\n\ndef own(self):\n    return 2\n\nMine.{} = own\n"


def test_a_base_that_is_made_when_the_program_runs_may_have_what_its_bases_have() -> None:
    assert compare(WRITTEN, NOW, READS.format("seen")) == [
        "attribute-removed lib.a.Parser.seen at-risk 4 seen"
    ]
    assert compare(WRITTEN, NOW, TAKES.format("scan")) == ["attribute-removed lib.a.Mine.scan at-risk 3 scan"]
    assert compare(WRITTEN, NOW, PATCHES.format("scan")) == [
        "patch-target-removed lib.a.Mine.scan at-risk 6 scan"
    ]


def test_what_no_class_that_it_derived_from_has_is_gone() -> None:
    assert compare(WRITTEN, NOW, READS.format("find")) == ["attribute-removed lib.a.Mine.find breaks 4 find"]
    assert compare(WRITTEN, NOW, TAKES.format("find")) == ["attribute-removed lib.a.Mine.find breaks 3 find"]
    assert compare(WRITTEN, NOW, PATCHES.format("find")) == [
        "patch-target-removed lib.a.Mine.find breaks 6 find"
    ]


def test_a_base_from_another_package_may_have_taken_the_member_with_it() -> None:
    """As where a package is divided in two."""
    new = PARSER + "\nfrom foreign import Thing\n\nclass Mine(Thing):\n    pass\n"
    assert compare(WRITTEN, new, READS.format("seen")) == [
        "attribute-removed lib.a.Parser.seen at-risk 4 seen"
    ]


def test_a_base_that_was_made_before_as_well_explains_nothing() -> None:
    old = MADE + "\nclass Mine(Parser, MineBase):\n    def scan(self):\n        return 1\n"
    assert compare(old, NOW, PATCHES.format("scan")) == ["patch-target-removed lib.a.Mine.scan breaks 6 scan"]


def test_a_member_that_its_class_still_has_is_lost_by_the_heir() -> None:
    old = "class Op:\n    def compile(self): ...\nclass Layer(Op): ...\nclass Head(Layer): ...\n"
    plugin = "from lib.a import Head\nclass Own(Head):\n    def f(self):\n        self.compile()\n"
    (told,) = findings(old, old.replace("Layer(Op)", "Layer"), plugin)
    assert told.reason == "lib.a.Layer.compile no longer exists"
    (gone,) = findings(old, old.replace("compile", "other"), plugin)
    assert gone.reason.startswith("lib.a.Op.compile no longer exists")
