"""Objects on ``self`` where upstream has a list now."""

from __future__ import annotations

import pytest

from tests.contracts.compare import told

OLD = """
    class Scheduler:
        def step(self): ...
    class Engine:
        def __init__(self):
            self.scheduler = Scheduler()
        def step(self):
            return self.scheduler.step()
    """
NEW = OLD.replace("= Scheduler()", "= [Scheduler()]").replace(
    "self.scheduler.step()", "self.scheduler[0].step()"
)
OWN = """
    from engine.core import Engine, Scheduler
    class Mine(Engine):
        def __init__(self):
            self.scheduler = Scheduler()
    """
ROW = "attribute-type-changed core.Engine.scheduler breaks 4"


@pytest.mark.parametrize(
    ("value", "use"),
    [
        ("[Scheduler()]", "return self.scheduler[0].step()"),
        ("[Scheduler() for _ in range(2)]", "for one in self.scheduler:\n                one.step()"),
        ("{0: Scheduler()}", "return len(self.scheduler)"),
        ("make()", "return self.scheduler[0].step()"),
    ],
)
def test_upstream_takes_a_list_apart(value: str, use: str) -> None:
    new = NEW.replace("[Scheduler()]", value).replace("return self.scheduler[0].step()", use)
    assert ROW in told(OLD, new, OWN)


def test_an_object_of_an_own_class() -> None:
    own = OWN.replace("    class Mine", "    class Own(Scheduler): ...\n    class Mine").replace(
        "= Scheduler()", "= Own()"
    )
    assert ROW.replace("4", "5") in told(OLD, NEW, own)


@pytest.mark.parametrize(
    ("new", "own"),
    [
        pytest.param(NEW, OWN.replace("= Scheduler()", "= [Scheduler()]"), id="a list here, too"),
        pytest.param(NEW.replace("[0].step()", ""), OWN, id="handed on as it is"),
        pytest.param(NEW, OWN.replace("    def __init__", "    def step(self): ...\n        def __init__"), id="replaced"),
        pytest.param(NEW.replace("def step(self): ...", "def __getitem__(self, i): ..."), OWN, id="it has it"),
        pytest.param(NEW.replace("class Scheduler:", "class Scheduler(Unseen):"), OWN, id="a base from outside"),
        pytest.param(NEW, OWN.replace("def __init__", "def other").replace("= Scheduler()", "= None"), id="nothing set"),
    ],
)  # fmt: skip
def test_what_fits(new: str, own: str) -> None:
    assert [row for row in told(OLD, new, own) if row.startswith(ROW.partition(" breaks")[0])] == []


def test_a_list_before_as_well() -> None:
    old = OLD.replace("= Scheduler()", "= [Scheduler()]")
    assert [row for row in told(old, NEW, OWN) if row.startswith(ROW.partition(" breaks")[0])] == []


WORKS = OLD.replace("def step(self):\n            return", "def work(self):\n            return")
MORE = WORKS.replace("def step(self): ...", "def step(self): ...\n        def clear(self): ...").replace(
    "return self.scheduler.step()", "self.scheduler.clear()\n            return self.scheduler.step()"
)
APART = """
    from engine.core import Engine
    class Own:
        def step(self): ...
    class Mine(Engine):
        def __init__(self):
            self.scheduler = Own()
    """


def test_upstream_asks_for_more_of_what_is_put_there() -> None:
    assert told(WORKS, MORE, APART) == ["attribute-type-changed core.Engine.scheduler breaks 6"]


@pytest.mark.parametrize(
    ("old", "new", "own"),
    [
        pytest.param(MORE, MORE + "\n\n    x = 1\n", APART, id="asked before"),
        pytest.param(WORKS, MORE, APART.replace("Own:", "Own(Scheduler):").replace("Engine\n", "Engine, Scheduler\n", 1), id="derived"),
        pytest.param(WORKS, MORE, APART.replace("def step(self): ...", "def __getattr__(self, name): ..."), id="answers"),
        pytest.param(WORKS, MORE, APART + "        def work(self):\n            return self.scheduler.step()\n", id="replaced"),
    ],
)  # fmt: skip
def test_what_is_put_there_has_it(old: str, new: str, own: str) -> None:
    assert [row for row in told(old, new, own) if row.startswith("attribute-type-changed")] == []
