"""Attributes of a class that a variable holds: it may be one that derives from the declared one."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

OLD = """
class Base:
    @staticmethod
    def shape():
        return 1
"""
NEW = "class Base: ...\n"
OWN = "\nclass Own(Base):\n    @staticmethod\n    def shape():\n        return 2\n"
USE = "from lib.a import Base\n{own}\ndef ask(kind: type[Base]):\n    return {asked}.shape()\n"


def verdict(own: str = OWN, asked: str = "kind", old: str = OLD, new: str = NEW) -> str:
    rows = compare(old, new, USE.format(own=own, asked=asked))
    (found,) = {row.split()[2] for row in rows if row.startswith("attribute-removed")}
    return found


def test_each_class_of_the_backend_has_it() -> None:
    assert verdict() == "at-risk"
    assert verdict(own=OWN + OWN.replace("Own", "More")) == "at-risk"


def test_each_class_of_upstream_has_it() -> None:
    below = OWN.replace("Own", "One") + OWN.replace("Own", "Two")
    assert verdict(own="", old=OLD + below, new=NEW + below) == "at-risk"


@pytest.mark.parametrize(
    ("own", "asked"),
    [
        pytest.param(OWN, "Base", id="asked by its name"),
        pytest.param("", "kind", id="nothing derives from it"),
        pytest.param(OWN + "\nclass More(Base): ...\n", "kind", id="one that derives lacks it"),
        pytest.param(OWN + "\nAlias = Base\n", "Base", id="by its name beside an alias"),
    ],
)
def test_the_class_lacks_it(own: str, asked: str) -> None:
    assert verdict(own, asked) == "breaks"
