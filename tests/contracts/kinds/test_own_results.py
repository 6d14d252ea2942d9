"""Overrides that give an object of a class of the backend."""

from __future__ import annotations

import pytest

from tests.contracts.compare import told

OUTPUT = """
class Output:
    tokens: int = 0

class Scheduler:
    def schedule(self) -> Output: ...

class Core:
    def __init__(self, scheduler: Scheduler):
        self.scheduler = scheduler

    def step(self):
        output = self.scheduler.schedule()
        return output.tokens
"""
NEW = OUTPUT.replace("tokens: int = 0", "tokens: int = 0\n    pending: int = 0").replace(
    "return output.tokens", "return output.pending"
)
HANDED = NEW.replace("output = self.scheduler.schedule()", "pass").replace(
    "step(self)", "step(self, output: Output)"
)
OURS = """
from engine.core import Scheduler

class Mine:
    tokens: int = 0

class MyScheduler(Scheduler):
    def schedule(self) -> Mine: ...
"""


@pytest.mark.parametrize("new", [NEW, HANDED], ids=["given", "handed on"])
def test_upstream_reads_what_its_own_newly_has(new: str) -> None:
    assert told(OUTPUT, new, OURS) == ["attribute-added core.Output.pending breaks 7"]


@pytest.mark.parametrize(
    ("new", "ours"),
    [
        pytest.param(NEW, OURS.replace("tokens: int = 0", "pending: int = 0"), id="ours has it"),
        pytest.param(NEW, OURS.replace("class Mine:", "class Mine(Base):"), id="a base that is not seen"),
        pytest.param(
            NEW, OURS.replace("Scheduler\n", "Output, Scheduler\n", 1).replace("Mine:", "Mine(Output):"),
            id="it derives from upstream's",
        ),
        pytest.param(NEW, OURS.replace(" -> Mine", ""), id="nothing is declared"),
        pytest.param(NEW.replace("output.pending", "output.tokens"), OURS, id="nobody reads it"),
        pytest.param(NEW + "class Other:\n    pending = 1\n", OURS, id="another class has one of that name"),
        pytest.param(NEW, OURS.replace("schedule", "plan"), id="no override"),
    ],
)  # fmt: skip
def test_upstream_reads_nothing_that_ours_lacks(new: str, ours: str) -> None:
    assert told(OUTPUT, new, ours) == []
