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
