"""Properties of the backend whose name upstream's constructor sets from now on."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

OLD = "class Base:\n    def __init__(self, x):\n        self.x = x\n"
NEW = OLD + "        self.made = x\n"
OWN = "from lib.a import Base\nclass Own(Base):\n    @property\n    def made(self): return 1\n"
TOLD = ["attribute-hidden lib.a.Base.made breaks {} made"]


@pytest.mark.parametrize(
    ("own", "line"),
    [
        (OWN, 4),
        (OWN.replace("    @", "    def __init__(self, x):\n        super().__init__(x)\n    @"), 6),
        (OWN.replace("    @", "    def __init__(self, *x):\n        Base.__init__(self, *x)\n    @"), 6),
        (
            "from lib.a import Base\nclass Mixed: ...\n"
            + OWN.partition("\n")[2].replace("Base", "Base, Mixed"),
            5,
        ),
    ],
)
def test_a_name_that_the_constructor_sets_now(own: str, line: int) -> None:
    assert compare(OLD, NEW, own) == [TOLD[0].format(line)]


def test_on_some_paths() -> None:
    some = NEW.replace("        self.made", "        if x: self.made")
    assert compare(OLD, some, OWN) == ["attribute-hidden lib.a.Base.made at-risk 4 made"]


@pytest.mark.parametrize(
    ("old", "new", "own"),
    [
        pytest.param(NEW, NEW + "x = 1\n", OWN, id="as before"),
        pytest.param(OLD, NEW.replace("__init__", "begin"), OWN, id="another method"),
        pytest.param(OLD, NEW, OWN + "    @made.setter\n    def made(self, x): ...\n", id="a setter"),
        pytest.param(OLD, NEW, OWN.replace("@property", "@cached_property"), id="cached"),
        pytest.param(OLD, NEW, OWN.replace("    @property\n", ""), id="a method"),
        pytest.param(OLD, NEW, OWN + "    def __init__(self): self.y = 1\n", id="left out"),
    ],
)
def test_what_may_be_set(old: str, new: str, own: str) -> None:
    assert [row for row in compare(old, new, own) if "made" in row and "hidden" in row] == []
