"""Attributes of classes that a constructor sets on each object from now on."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

OLD = "class Base:\n    made = 1\n    def __init__(self, x): ...\n"
NEW = "class Base:\n    made = 1\n    def __init__(self, x):\n        self.made = choose(x)\n"
OWN = "from lib.a import Base\nclass Own(Base):\n    made = 2\n"


@pytest.mark.parametrize(
    ("old", "new"),
    [(OLD, NEW), (OLD, NEW.replace("    made = 1\n", "")), (OLD.replace("made =", "made: int ="), NEW)],
)
@pytest.mark.parametrize("own", [OWN, OWN.replace("made =", "made: int =")])
def test_an_attribute_that_the_constructor_sets_now(old: str, new: str, own: str) -> None:
    assert compare(old, new, own) == ["attribute-hidden lib.a.Base.made breaks 3 made"]


@pytest.mark.parametrize(
    ("old", "new", "own"),
    [
        pytest.param(NEW, NEW + "x = 1\n", OWN, id="as before"),
        pytest.param(OLD, OLD.replace("made = 1", "made = 3"), OWN, id="in the body still"),
        pytest.param(OLD, NEW.replace("choose(x)", "self.made or x"), OWN, id="asks the class"),
        pytest.param(OLD, NEW.replace("choose(x)", "getattr(self, 'made')"), OWN, id="asks by name"),
        pytest.param(OLD, NEW.replace("self.made", "if self.made == 1: self.made"), OWN, id="looks first"),
        pytest.param(OLD, NEW.replace("__init__", "other"), OWN, id="another method"),
        pytest.param(OLD, NEW, OWN + "    def __init__(self): self.x = 1\n", id="a constructor of its own"),
        pytest.param(OLD, NEW, OWN.replace("made", "other"), id="another attribute"),
        pytest.param(OLD, NEW, OWN.replace("made = 2", "def made(self): ..."), id="a method"),
    ],
)
def test_what_counts_still(old: str, new: str, own: str) -> None:
    assert [row for row in compare(old, new, own) if row.startswith("attribute-hidden")] == []


def test_on_some_paths_or_on_all() -> None:
    some = NEW.replace("self.made = choose(x)", "if x:\n            self.made = choose(x)")
    assert compare(OLD, some, OWN) == ["attribute-hidden lib.a.Base.made at-risk 3 made"]
    other = f"{some}        else:\n            self.made = 5\n"
    assert compare(OLD, other, OWN) == ["attribute-hidden lib.a.Base.made breaks 3 made"]
