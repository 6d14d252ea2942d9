"""Keywords that a model of pydantic does not declare any more."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

HEAD = "from pydantic import BaseModel, ConfigDict\n"
MODEL = f"{HEAD}class T(BaseModel):\n    a: int\n"
DATA = "from pydantic import ConfigDict\nfrom pydantic.dataclasses import dataclass\n@dataclass\nclass T:\n    a: int\n"
PLAIN = "from dataclasses import dataclass\n@dataclass\nclass T:\n    a: int\n"
USE = "from lib.a import T\nT(a=1, b=2)\n"


def verdicts(new: str) -> list[str]:
    """The verdicts where a field ``b`` is gone."""
    return [row.split()[2] for row in compare(f"{new}    b: int = 1\n", new, USE)]


@pytest.mark.parametrize(
    "new",
    [
        MODEL,
        MODEL.replace("    a", "    model_config = ConfigDict(extra='allow')\n    a"),
        MODEL.replace("T(BaseModel)", "B(BaseModel): ...\nclass T(B)"),
        DATA,
        DATA.replace("@dataclass", "@config\n@dataclass(config=ConfigDict(frozen=True))"),
    ],
)
def test_they_leave_it_out(new: str) -> None:
    assert verdicts(new) == ["at-risk"]


@pytest.mark.parametrize(
    "new",
    [
        MODEL.replace("    a", "    model_config = ConfigDict(extra='forbid')\n    a"),
        MODEL.replace("    a", "    model_config = {'extra': 'forbid'}\n    a"),
        MODEL.replace("    a", "    class Config:\n        extra = Extra.forbid\n    a"),
        MODEL.replace("(BaseModel)", "(BaseModel, extra='forbid')"),
        MODEL.replace("T(BaseModel)", "B(BaseModel, extra='forbid'): ...\nclass T(B)"),
        DATA.replace("@dataclass", "@dataclass(config=ConfigDict(extra='forbid'))"),
        PLAIN,
    ],
)
def test_what_is_forbidden_or_no_field_at_all(new: str) -> None:
    assert verdicts(new) == ["breaks"]


def test_a_field_that_is_required_now_is_told_all_the_same() -> None:
    assert compare(MODEL, MODEL + "    c: int\n", USE.replace(", b=2", "")) == [
        "parameter-added lib.a.T breaks 2 c"
    ]
