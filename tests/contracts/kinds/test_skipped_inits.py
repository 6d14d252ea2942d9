"""Constructors that leave an upstream ``__init__`` out and so miss what it newly sets."""

from __future__ import annotations

from syncbot.contracts.changes import MemberDetails
from tests.contracts.world import engine, findings, rows

OLD = "class Base:\n    def __init__(self):\n        self.x = 1\n    def go(self):\n        return self.x\n"
NEW = OLD.replace("self.x = 1", "self.x = 1\n        self.y = 2").replace("return self.x", "return self.y")
SKIPS = "from engine.core import Base\nclass Mine(Base):\n    def __init__(self):\n        self.x = 1\n"


def test_a_reader_in_another_module_counts() -> None:
    new = engine(NEW.replace("return self.y", "return self.x"), use="def read(base):\n    return base.y\n")
    (finding,) = findings(engine(OLD), new, {"plugin/use.py": SKIPS})
    assert rows([finding]) == ["attribute-added engine.core.Base.y breaks 3 y"]
    assert "engine.use" in finding.reason
    assert finding.details == MemberDetails(name="y")
