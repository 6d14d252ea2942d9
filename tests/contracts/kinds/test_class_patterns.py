"""Cases of match statements that take attributes of an upstream class, by place or by name."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

DATA = "from dataclasses import dataclass\n@dataclass\nclass Cfg:\n    x: int = 1\n    gone: int = 2\n    y: int = 3\n"
TUPLE = DATA.replace(
    "from dataclasses import dataclass\n@dataclass\nclass Cfg",
    "from typing import NamedTuple\nclass Cfg(NamedTuple)",
)
NAMED = "class Cfg:\n    __match_args__ = ('x', 'gone', 'y')\n    x = gone = y = 1\n"


def _told(old: str, new: str, case: str) -> list[str]:
    plugin = "from lib.a import Cfg\n\n\ndef run(c):\n    match c:\n"
    return compare(old, new, f"{plugin}        case {case}:\n            return 1\n")


@pytest.mark.parametrize("old", [DATA, TUPLE, NAMED])
def test_more_places_than_there_are_now(old: str) -> None:
    new = old.replace("    gone: int = 2\n", "").replace("'gone', ", "")
    assert _told(old, new, "Cfg(1, 2, 3)") == ["parameter-removed lib.a.Cfg breaks 6 gone"]
    assert _told(old, new, "Cfg(1)") == []
    assert _told(old, new, "Cfg()") == []


def test_another_attribute_in_a_place() -> None:
    new = DATA.replace("    gone: int = 2\n", "    z: int = 0\n    gone: int = 2\n")
    assert _told(DATA, new, "Cfg(1, 2)") == ["parameter-reordered lib.a.Cfg breaks 6 gone"]
    assert _told(DATA, DATA.replace("gone", "kept"), "Cfg(1, 2)") == []


def test_a_name_that_is_gone_never_matches() -> None:
    new = DATA.replace("    gone: int = 2\n", "")
    assert _told(DATA, new, "Cfg(gone=1)") == ["attribute-removed lib.a.Cfg.gone at-risk 6 gone"]
    assert _told(DATA, new, "Cfg(x=1)") == []


@pytest.mark.parametrize(
    "new",
    [
        "from other import Base\nclass Cfg(Base):\n    x: int\n",
        "from dataclasses import dataclass\n@dataclass(match_args=False)\nclass Cfg:\n    x: int\n",
        "class Cfg:\n    __match_args__ = NAMES\n",
        "def Cfg(x): ...\n",
    ],
)
def test_places_that_cannot_be_told(new: str) -> None:
    assert [row for row in _told(DATA, new, "Cfg(1, 2, 3)") if "parameter" in row] == []
