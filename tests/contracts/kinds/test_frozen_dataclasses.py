"""Dataclasses that derive from upstream ones: frozen, or not."""

from __future__ import annotations

import dataclasses

import pytest

from tests.contracts.world import compare

PLAIN = "from dataclasses import dataclass\n@dataclass\nclass Spec:\n    size: int\n"
FROZEN = PLAIN.replace("@dataclass", "@dataclass(frozen=True)")
HEAD = "import dataclasses\nfrom dataclasses import dataclass\nfrom lib.a import Spec\n"
MINE = HEAD + "@dataclass\nclass Mine(Spec):\n    more: int = 0\n"
MINE_FROZEN = MINE.replace("@dataclass\n", "@dataclasses.dataclass(eq=True, frozen=True)\n")
NOTHING = "class Spec:\n    size: int\n"


@pytest.mark.parametrize(("old", "new", "backend"), [(PLAIN, FROZEN, MINE), (FROZEN, PLAIN, MINE_FROZEN)])
def test_the_base_is_of_the_other_sort_now(old: str, new: str, backend: str) -> None:
    assert compare(old, new, backend) == ["dataclass-frozen lib.a.Spec breaks 5"]


@pytest.mark.parametrize(
    ("old", "new", "backend"),
    [
        (PLAIN, FROZEN, MINE_FROZEN),
        (FROZEN, PLAIN, MINE),
        (PLAIN, FROZEN, MINE.replace("@dataclass\n", "")),
        (PLAIN, FROZEN, MINE.replace("@dataclass\n", "@dataclass(frozen=FROZEN)\n")),
        (PLAIN, FROZEN, MINE.replace("@dataclass\n", "@dataclass(**OPTIONS)\n")),
        (PLAIN, PLAIN.replace("@dataclass", "@dataclass(order=True)"), MINE),
        (PLAIN, FROZEN.replace("True", "FLAG"), MINE),
    ],
)
def test_the_same_sort_and_what_cannot_be_told_say_nothing(old: str, new: str, backend: str) -> None:
    assert compare(old, new, backend) == []


def test_python_refuses_what_is_told() -> None:
    for theirs, ours in ((True, False), (False, True)):
        base = dataclasses.make_dataclass("Base", ["size"], frozen=theirs)
        with pytest.raises(TypeError, match="frozen"):
            dataclasses.make_dataclass("Mine", [], bases=(base,), frozen=ours)
