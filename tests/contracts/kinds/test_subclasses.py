"""Subclasses: what an upstream base newly asks of the classes that derive from it."""

from __future__ import annotations

from syncbot.contracts.discovery import discover
from syncbot.contracts.kinds.subclasses import SubclassContract
from syncbot.contracts.registry import audit_of
from syncbot.contracts.sources import in_memory
from tests.contracts.world import PACKAGES, comparison, engine

ABC = "from abc import ABC, ABCMeta, abstractmethod\n"
BASE = ABC + "class Base(ABC):\n    def run(self): ...\n"
STOP = "    @abstractmethod\n    def stop(self): ...\n"
MINE = "from engine.core import Base\nclass Mine(Base):\n    pass\n"


def test_the_audit_names_what_a_class_lacks() -> None:
    backend = in_memory({"plugin/use.py": MINE + "class Done(Base):\n    def stop(self): ...\n"})
    pair = comparison(engine(BASE), engine(BASE + STOP), backend, PACKAGES)
    found = [c for c in discover(backend, pair.old, PACKAGES) if isinstance(c, SubclassContract)]
    said = [problem for c in found if (audit := audit_of(c)) for problem in audit(c, pair.new)]
    assert said == ["Mine does not implement the abstract engine.core.Base.stop"]
