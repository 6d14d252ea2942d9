"""Values that parameters are declared with."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

HEAD = "from typing import Literal, Optional\n"
OLD = HEAD + "def f(mode: Literal['gone', 'kept']): ...\n"
NEW = HEAD + "def f(mode: Literal['kept']): ...\n"
MODEL = (
    "from typing import Literal\nfrom pydantic import BaseModel\nclass C(BaseModel):\n    mode: Literal[{}]\n"
)
RISK = ["parameter-type-changed lib.a.f at-risk 2 mode"]


@pytest.mark.parametrize(
    ("old", "new", "call"),
    [
        (OLD, NEW, "f('gone')"),
        (OLD, NEW, "f(mode='gone')"),
        (OLD, NEW.replace("Literal['kept']", "Optional[Literal['kept']]"), "f('gone')"),
        (OLD, NEW.replace("Literal['kept']", "\"Literal['kept'] | None\""), "f('gone')"),
        (OLD, HEAD + "M = Literal['kept']\ndef f(mode: M): ...\n", "f('gone')"),
        (OLD.replace("'gone'", "1"), NEW, "f(1)"),
    ],
)
def test_a_value_that_is_declared_no_more(old: str, new: str, call: str) -> None:
    assert compare(old, new, f"from lib.a import f\nx = {call}\n") == RISK


@pytest.mark.parametrize(
    ("old", "new", "call"),
    [
        pytest.param(OLD, NEW, "f('kept')", id="another value"),
        pytest.param(OLD, NEW, "f(mode)", id="not written out"),
        pytest.param(
            OLD, NEW.replace("Literal['kept']", "Literal['kept'] | str"), "f('gone')", id="any text"
        ),
        pytest.param(OLD, NEW.replace("Literal['kept']", "Literal[KEPT]"), "f('gone')", id="not literal"),
        pytest.param(OLD, NEW.replace("Literal['kept']", "Mode"), "f('gone')", id="not known"),
        pytest.param(OLD.replace("'gone'", "'other'"), NEW, "f('gone')", id="never declared"),
    ],
)
def test_a_value_that_may_be_taken(old: str, new: str, call: str) -> None:
    assert compare(old, new, f"from lib.a import f\nx = {call}\n") == []


@pytest.mark.parametrize(
    ("more", "verdict"),
    [
        ("", "breaks"),
        ("    @field_validator('mode', mode='before')\n    def new(cls, mode): ...\n", "at-risk"),
    ],
)
def test_a_model_refuses_the_value(more: str, verdict: str) -> None:
    own = "from lib.a import C\nx = C(mode='gone')\n"
    told = compare(MODEL.format("'gone', 'kept'"), MODEL.format("'kept'") + more, own)
    assert told == [f"parameter-type-changed lib.a.C {verdict} 2 mode"]


def test_a_body_that_refuses_says_it_alone() -> None:
    guard = NEW.replace("...", "\n    if mode != 'kept':\n        raise ValueError")
    own = "from lib.a import f\nx = f('gone')\n"
    assert compare(OLD, guard, own) == ["argument-refused lib.a.f breaks 2 mode"]
