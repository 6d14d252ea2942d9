"""Fields that only the constructor is given from now on."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

OLD = """
from dataclasses import InitVar, dataclass
import dataclasses

@dataclass
class Config:
    length: int = 5
    name: str = ""
"""
READ = "from lib.a import Config\n\ndef g(config: Config):\n    return config.length\n"
GONE = ["attribute-removed lib.a.Config.length breaks 4 length"]


@pytest.mark.parametrize("written", ["InitVar[int]", "dataclasses.InitVar[int]", "InitVar"])
def test_what_only_the_constructor_is_given_is_no_attribute(written: str) -> None:
    assert compare(OLD, OLD.replace("int = 5", written), READ) == GONE


@pytest.mark.parametrize(
    "new",
    [
        pytest.param(OLD.replace("int = 5", "InitVar[int] = 5"), id="the class has the default"),
        pytest.param(
            OLD.replace("int = 5", "InitVar[int]")
            + "\n    def __post_init__(self, length):\n        self.length = length\n",
            id="set after all",
        ),
        pytest.param(
            OLD.replace("int = 5", "InitVar[int]").replace("@dataclass\n", ""), id="no dataclass any more"
        ),
    ],
)
def test_what_objects_may_have_is_no_break(new: str) -> None:
    assert [row for row in compare(OLD, new, READ) if "breaks" in row] == []


def test_what_never_was_an_attribute_is_not_missed() -> None:
    old = OLD.replace("int = 5", "InitVar[int]")
    assert compare(old, old.replace("length", "size"), READ) == []
