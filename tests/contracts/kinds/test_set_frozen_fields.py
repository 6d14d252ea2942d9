"""Fields that are set of objects that are not changed any more."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

DATA = "from dataclasses import dataclass\n@dataclass\nclass P:\n    x: int\n"
FROZEN = DATA.replace("@dataclass\n", "@dataclass(frozen=True)\n")
TUPLE = "from typing import NamedTuple\nclass P(NamedTuple):\n    x: int\n"
MODEL = "from pydantic import BaseModel, ConfigDict\nclass P(BaseModel):\n    {0}\n    x: int\n"
STRUCT = "import msgspec\nclass P(msgspec.Struct, {0}):\n    x: int\n"
SET = "from lib.a import P\ndef g(p: P):\n    {0}\n"


@pytest.mark.parametrize("line", ["p.x = 1", "p.x += 1", "del p.x", "p.x, y = 1, 2"])
@pytest.mark.parametrize(
    "new",
    [
        FROZEN,
        TUPLE,
        MODEL.format("model_config = ConfigDict(frozen=True)"),
        MODEL.format("model_config = {'frozen': True}"),
        MODEL.format("class Config:\n        frozen = True"),
        STRUCT.format("frozen=True"),
        FROZEN.replace("P:", "Q:") + "class P(Q): ...\n",
    ],
)
def test_objects_that_became_frozen(new: str, line: str) -> None:
    rows = compare(DATA, new, SET.format(line))
    assert [row for row in rows if " breaks " in row] == ["attribute-read-only lib.a.P.x breaks 3 x"]
    assert compare(new, DATA, SET.format(line)) == []


@pytest.mark.parametrize(
    "new",
    [
        DATA.replace("@dataclass\n", "@dataclass(frozen=FROZEN)\n"),
        FROZEN + "    def __setattr__(self, name, value): ...\n",
        FROZEN.replace("P:", "P(Unknown):"),
        FROZEN.replace("x: int", "x: ClassVar[int]"),
        MODEL.format("model_config = ConfigDict(frozen=False)"),
        MODEL.format("model_config = ConfigDict(frozen=True)").replace("class P", "class Q")
        + "class P(Q):\n    model_config = ConfigDict(frozen=False)\n",
        MODEL.format("class Config:\n        allow_mutation = False"),
        STRUCT.format("frozen=False"),
    ],
)
def test_objects_that_may_be_changed(new: str) -> None:
    assert [row for row in compare(DATA, new, SET.format("p.x = 1")) if " breaks " in row] == []


@pytest.mark.parametrize(
    "line",
    [
        "return p.x",
        "object.__setattr__(p, 'x', 1)",
    ],
)
def test_what_is_not_set(line: str) -> None:
    assert compare(DATA, FROZEN, SET.format(line)) == []
