"""Functions in the place of upstream methods that newly set attributes."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

LIB = """
class Group:
    def __init__(self, size):
        self.size = size
{set}
    def send(self):
        return self.size + {read}
"""
OLD = LIB.format(set="", read="1")
NEW = LIB.format(set="        self.wide = size\n", read="self.wide")
MINE = "from lib.a import Group\n\n\ndef mine(self, size):\n    self.size = size\n\n\n{patch}\n"
PATCH = "Group.__init__ = mine"
BREAKS = ["attribute-added lib.a.Group.wide breaks 8 wide"]


@pytest.mark.parametrize("patch", [PATCH, "setattr(Group, '__init__', mine)"])
def test_what_ours_does_not_set_is_read(patch: str) -> None:
    assert compare(OLD, NEW, MINE.format(patch=patch)) == BREAKS


def test_what_upstream_hands_the_object_to_as_well_sets_no_more() -> None:
    old, new = (
        text.replace("self.size = size\n", "self.size = size\n        note(self)\n") for text in (OLD, NEW)
    )
    mine = MINE.replace("self.size = size\n", "self.size = size\n    note(self)\n")
    found = compare(old, new, mine.format(patch=PATCH))
    assert found == ["attribute-added lib.a.Group.wide breaks 9 wide"]


def test_another_method_than_the_constructor() -> None:
    old, new = (text.replace("__init__", "begin") for text in (OLD, NEW))
    assert compare(old, new, MINE.format(patch="Group.begin = mine")) == BREAKS


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("    self.wide = self.size = size\n", id="sets it"),
        pytest.param("    setattr(self, 'wide', size)\n", id="sets it by name"),
        pytest.param("    original(self, size)\n", id="calls what it replaces"),
        pytest.param("    for n in size:\n        setattr(self, n, 1)\n", id="sets anything"),
    ],
)
def test_what_ours_may_set(body: str) -> None:
    mine = MINE.replace("    self.size = size\n", body).replace(
        "def mine", "original = Group.__init__\n\n\ndef mine"
    )
    assert [row for row in compare(OLD, NEW, mine.format(patch=PATCH)) if " wide" in row] == []


@pytest.mark.parametrize(
    "new",
    [
        pytest.param(NEW.replace("+ self.wide", ""), id="nobody reads it"),
        pytest.param(NEW.replace("class Group:\n", "class Group:\n    wide = 0\n"), id="the class has it"),
        pytest.param(
            NEW.replace("        return", "        self.wide = 2\n        return"), id="set elsewhere"
        ),
    ],
)
def test_what_objects_have_all_the_same(new: str) -> None:
    assert compare(OLD, new, MINE.format(patch=PATCH)) == []


@pytest.mark.parametrize(
    ("method", "found"),
    [
        pytest.param("if self.wide: self.wide = 0", BREAKS, id="read in the test"),
        pytest.param("self.wide = self.wide + 1", BREAKS, id="read in the value"),
        pytest.param("self.wide += 1", BREAKS, id="read to be raised"),
        pytest.param("for i in (): print(self.wide)\n        self.wide = 0", [], id="read in a loop, maybe"),
        pytest.param("if self.size: self.wide = 0\n        return self.wide", [], id="set before"),
    ],
)
def test_a_method_that_sets_it_anew(method: str, found: list[str]) -> None:
    new = NEW + f"    def close(self):\n        {method}\n"
    assert compare(OLD, new, MINE.format(patch=PATCH)) == found


@pytest.mark.parametrize(
    ("does", "told"),
    [
        pytest.param("hasattr(self, 'kind')", True, id="asks"),
        pytest.param("note(*size)", True, id="hands on others"),
        pytest.param("note(self)", False, id="hands it on"),
        pytest.param("note(*(self, size))", False, id="hands it on with others"),
    ],
)
def test_what_ours_does_with_the_object(does: str, told: bool) -> None:
    mine = MINE.replace("    self.size = size\n", f"    self.size = size; {does}\n")
    found = compare(OLD, NEW, mine.format(patch=PATCH))
    assert [row for row in found if row in BREAKS] == (BREAKS if told else [])


def test_who_reads_it_is_replaced_too() -> None:
    patch = PATCH + "\n\n\ndef other(self):\n    return 1\n\n\nGroup.send = other"
    assert compare(OLD, NEW, MINE.format(patch=patch)) == []


def test_what_was_set_before_is_no_news() -> None:
    assert compare(NEW, NEW.replace("= size\n", "= size + 1\n"), MINE.format(patch=PATCH)) == []


BELOW = "\nclass Small(Group):\n    def __init__(self, size):\n        super().__init__(size)\n"
SMALL = MINE.replace("Group", "Small")
PUT = "Small.__init__ = mine"


@pytest.mark.parametrize(
    "below", [BELOW, "\nclass Small(Group): ...\n"], ids=["by super", "the one of its base"]
)
def test_what_the_constructor_of_a_base_sets_is_left_out_as_well(below: str) -> None:
    found = compare(OLD + below, NEW + below, SMALL.format(patch=PUT))
    assert found == ["attribute-added lib.a.Small.wide breaks 8 wide"]


@pytest.mark.parametrize(("body", "told"), [("return 1", False), ("return before(self)", True)])
def test_who_reads_it_of_objects_of_the_class_below_is_replaced_there(body: str, told: bool) -> None:
    kept = "before = Small.send\n" if told else ""
    patch = f"{PUT}\n\n\n{kept}def other(self):\n    {body}\n\n\nSmall.send = other"
    more = BELOW + "\nclass Large(Group): ...\n"
    found = compare(OLD + more, NEW + more, SMALL.format(patch=patch))
    assert found == (["attribute-added lib.a.Small.wide breaks 8 wide"] if told else [])


def test_who_reads_it_is_replaced_on_what_has_another_name_since() -> None:
    old = OLD + BELOW
    new = NEW + BELOW.replace("Small", "Tiny") + "\nclass Large(Group): ...\n\nSmall = Tiny\n"
    patch = PUT + "\n\n\ndef other(self):\n    return 1\n\n\nSmall.send = other"
    assert compare(old, new, SMALL.format(patch=PUT)) == ["attribute-added lib.a.Tiny.wide breaks 8 wide"]
    assert compare(old, new, SMALL.format(patch=patch)) == []


@pytest.mark.parametrize(
    ("old", "new", "body"),
    [
        pytest.param(
            BELOW.replace("super().__init__(size)", "self.size = 1"),
            BELOW.replace("super().__init__(size)", "self.size = 1"), "", id="upstream leaves it out, too",
        ),
        pytest.param(BELOW, BELOW, "    self.wide = 3\n", id="ours sets it"),
        pytest.param(BELOW, BELOW + "\n    wide = 1\n", "", id="the class has it"),
        pytest.param(BELOW, BELOW, "    Group.__init__(self, size)\n", id="ours calls that of the base"),
        pytest.param(BELOW, BELOW, "    super(Small, self).__init__(size)\n", id="ours calls the one above"),
    ],
)  # fmt: skip
def test_what_comes_to_the_object_in_another_way(old: str, new: str, body: str) -> None:
    mine = SMALL.replace("import Small", "import Group, Small").replace("size\n\n", f"size\n{body}\n", 1)
    assert compare(OLD + old, NEW + new, mine.format(patch=PUT)) == []
