"""Attributes of upstream's objects that the backend itself sets, in another method than the one that reads."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

OLD = """
class Config:
    size: int = 0
    other: int = 0


class Engine:
    config: Config
"""
NEW = OLD.replace("    size: int = 0\n", "")
MINE = """
from lib.a import Config, Engine


class Setup:
    def update(self, engine: Engine):
        engine.config.size = 1


class Runner:
    def __init__(self, config: Config):
        self.config = config

    def run(self):
        return self.config.size
"""


def verdict(mine: str, new: str = NEW) -> str:
    (found,) = {row.split()[2] for row in compare(OLD, new, mine) if row.split()[3] == "14"}
    return found


def test_what_a_method_sets_is_there() -> None:
    assert verdict(MINE) == "at-risk"


SLOTS = NEW.replace("class Config:", "class Config:\n    __slots__ = ('other',)").replace(
    ": int = 0", ": int"
)


@pytest.mark.parametrize(
    ("mine", "new"),
    [
        pytest.param(MINE.replace("engine.config.size = 1", "pass;" + " " * 16), NEW, id="nobody sets it"),
        pytest.param(MINE.replace("engine.config.size", "if 1: engine.config.size"), NEW, id="not always"),
        pytest.param(MINE.replace("size = 1", "size = engine.config.size"), NEW, id="read for that"),
        pytest.param(MINE.replace("engine: Engine", "engine"), NEW, id="on what is not known"),
        pytest.param(MINE.replace("engine.config.size", "engine.size"), NEW, id="on another object"),
        pytest.param(MINE, SLOTS, id="no room for it"),
    ],
)
def test_what_may_be_missing(mine: str, new: str) -> None:
    assert verdict(mine, new) == "breaks"
