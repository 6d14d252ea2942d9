"""Objects that have no hash any more, in sets and as keys."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

PLAIN = "class T:\n    x: int = 1\n"
DATA = f"from dataclasses import dataclass\n@dataclass\n{PLAIN}"
USES = ["{t: 1}", "{t}", "hash(t)", "{1: 2, (t, 1): 2}"]
BACKEND = "from lib.a import T\ndef g(t: T, ts: list[T]):\n    return {0}\n"


def breaks(old: str, new: str, line: str) -> list[str]:
    rows = compare(old, new, BACKEND.replace("{0}", line))
    return [row for row in rows if "__hash__" in row]


@pytest.mark.parametrize("line", USES)
@pytest.mark.parametrize(
    "new",
    [
        DATA,
        DATA.replace("@dataclass\n", "@dataclass(order=True)\n"),
        PLAIN + "    def __eq__(self, other): ...\n",
        "import msgspec\n" + PLAIN.replace("T:", "T(msgspec.Struct):"),
        "from pydantic import BaseModel\n" + PLAIN.replace("T:", "T(BaseModel):"),
        DATA.replace("T:", "Base:") + "class T(Base): ...\n",
    ],
)
def test_objects_that_have_no_hash_any_more(new: str, line: str) -> None:
    assert breaks(PLAIN, new, line) == ["attribute-removed lib.a.T.__hash__ breaks 3 __hash__"]
    assert breaks(new, PLAIN, line) == []


@pytest.mark.parametrize(
    "new",
    [
        DATA.replace("@dataclass\n", "@dataclass(frozen=True)\n"),
        DATA.replace("@dataclass\n", "@dataclass(eq=False)\n"),
        DATA.replace("@dataclass\n", "@dataclass(unsafe_hash=True)\n"),
        DATA.replace("@dataclass\n", "@dataclass(**OPTIONS)\n"),
        DATA.replace("@dataclass\n", "@configured\n@dataclass\n"),
        DATA + "    def __hash__(self): ...\n",
        DATA.replace("T:", "T(Unknown):"),
        PLAIN + "    def __eq__(self, other): ...\n    __hash__ = object.__hash__\n",
        "import msgspec\n" + PLAIN.replace("T:", "T(msgspec.Struct, frozen=True):"),
        "import msgspec\n" + PLAIN.replace("T:", "T(msgspec.Struct, eq=False):"),
        DATA.replace("T:", "Base:") + "class T(Base):\n    def __hash__(self): ...\n",
    ],
)
def test_objects_that_may_have_one(new: str) -> None:
    assert breaks(PLAIN, new, "{t: 1}") == []


@pytest.mark.parametrize("line", ["[t]", "{1: t}", "(t, 1)", "t == t", "{T: 1}", "{t.x}"])
def test_what_takes_no_hash(line: str) -> None:
    assert breaks(PLAIN, DATA, line) == []
