"""Members of a class of the backend that a base of its puts into an upstream class or module."""

from __future__ import annotations

import pytest

from tests.contracts.compare import told

PATCH = """
import engine.core
from engine import core
from engine.core import Runner

class Patch:
    def __class_getitem__(cls, target):
        return type(cls.__name__, (cls,), {"target": target})

    @classmethod
    def apply(cls):
        for name, it in cls.__dict__.items():
            setattr(cls.target, name, it)

"""
PLAIN = PATCH.replace("setattr(cls.target, name, it)", "print(name)")
OLD = """
from abc import ABC, abstractmethod

class Base(ABC):
    pass

class Runner(Base):
    def __init__(self, size):
        self.size = size

    def run(self, step):
        return step

    def idle(self):
        self.run(1)

def setup(size):
    return size

def begin():
    setup(1)
"""


@pytest.mark.parametrize(
    ("new", "body", "expected"),
    [
        pytest.param(
            OLD.replace("self.size = size", "self.length = size"),
            "class Mine(Patch[Runner]):\n    def idle(self):\n        return self.size\n",
            "attribute-removed core.Runner.size breaks 16",
            id="an attribute of the object",
        ),
        pytest.param(
            OLD.replace("run(self, step)", "run(self, step, last)").replace("run(1)", "run(1, last=2)"),
            "class Mine(Patch[core.Runner]):\n    def run(self, step):\n        return step\n",
            "parameter-required core.Runner.run breaks 15",
            id="what upstream passes to the method",
        ),
        pytest.param(
            OLD.replace("run(self, step)", "run(self)").replace("run(1)", "run()"),
            "class Mine(Patch[Runner]):\n    def idle(self):\n        return self.run(1)\n",
            "parameter-removed core.Runner.run breaks 16",
            id="a call of a method of the class",
        ),
        pytest.param(
            OLD.replace("def setup(size)", "def setup(size, kind)").replace("setup(1)", "setup(1, 2)"),
            "class Mine(Patch[core]):\n    def setup(size):\n        return 1\n",
            "parameter-required core.setup breaks 15",
            id="a function of a module",
        ),
        pytest.param(
            OLD.replace("def setup", "def prepare").replace("setup(1)", "prepare(1)"),
            "class Mine(Patch[engine.core]):\n    @staticmethod\n    def setup(size):\n        return 1\n",
            "patch-target-removed core.setup breaks 16",
            id="a function that the module has no more",
        ),
    ],
)
def test_they_stand_for_upstreams(new: str, body: str, expected: str) -> None:
    assert expected in told(OLD, new, PATCH + body)
    assert told(OLD, new, PLAIN + body) == []


@pytest.mark.parametrize(
    ("new", "body"),
    [
        pytest.param(
            OLD.replace("class Base(ABC):\n    pass", "class Base(ABC):\n    @abstractmethod\n"
                        "    def stop(self): ...")
            .replace("def idle", "def stop(self): ...\n\n    def idle"),
            "class Mine(Patch[Runner]):\n    def idle(self): ...\n",
            id="an abstract method is upstream's affair",
        ),
        pytest.param(
            OLD.replace("self.size = size", "self.size = size\n        self.more = size")
            .replace("self.run(1)", "self.run(self.more)"),
            "class Mine(Patch[Runner]):\n    _init = Runner.__init__\n\n    def __init__(self, size):\n"
            "        self._init(size)\n",
            id="the constructor that is kept runs",
        ),
        pytest.param(
            OLD.replace("run(self, step)", "run(self)").replace("run(1)", "run()"),
            "class Mine(Patch[Runner]):\n    def run(self, *rest): ...\n\n    def idle(self):\n"
            "        return self.run(1)\n",
            id="its own method answers",
        ),
        pytest.param(
            OLD.replace("self.size = size", "self.length = size"),
            "class Mine(Patch[int]):\n    def idle(self):\n        return self.size\n",
            id="something else is patched",
        ),
    ],
)  # fmt: skip
def test_nothing_of_theirs_is_lost(new: str, body: str) -> None:
    assert told(OLD, new, PATCH + body) == []


SETS = OLD.replace("self.size = size", "self.size = size\n        self.more = size").replace(
    "self.run(1)", "self.run(self.more)"
)
WITHOUT = "class Mine(Patch[Runner]):\n    def __init__(self, size):\n        self.size = size\n"


def test_what_upstreams_constructor_newly_sets() -> None:
    assert told(OLD, SETS, PATCH + WITHOUT) == ["attribute-added core.Runner.more breaks 15"]
    sets_it = WITHOUT + "        self.more = 2\n"
    assert told(OLD, SETS, PATCH + sets_it) == []
    assert told(OLD, SETS, PATCH + WITHOUT + "        self._first(size)\n") == []


def test_a_member_that_the_backend_puts_there_itself() -> None:
    reads = "def use(runner: Runner):\n    return runner.idle()\n"
    new = OLD.replace("def idle", "def rest")
    for target in ("Runner", "core.Runner"):
        puts = f"class Mine(Patch[{target}]):\n    def idle(self):\n        return 1\n\n"
        found = told(OLD, new, PATCH + puts + reads)
        assert not [row for row in found if row.endswith("19")]
        for other in (puts.replace("idle", "other"), puts.replace("return 1", "self.idle = 1")[:-1]):
            own = other.replace("def idle", "def start")
            assert [row for row in told(OLD, new, PATCH + own + reads) if " breaks " in row]
