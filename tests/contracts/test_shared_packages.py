"""A backend whose modules stand below the top-level package that upstream's modules stand below."""

from __future__ import annotations

from syncbot.contracts.sources import in_memory
from tests.contracts.world import comparison, contracts

OLD = """\
class Base:
    def go(self, a): ...
    def run(self):
        self.go(1)
def f(a): ...
x = 1
"""
USE = """\
from lib.core.a import Base, f, x
from lib.adapters.mine.own import helper
from . import own
import lib.core.a
import lib.adapters.mine.own
class Mine(Base):
    def go(self, a): ...
f(1)
helper(1)
own.helper(1)
lib.core.a.f(1)
lib.adapters.mine.own.helper(1)
"""
OWN = {"lib/adapters/mine/use.py": USE, "lib/adapters/mine/own.py": "def helper(a): ...\n"}


def test_what_the_backend_has_there_is_no_contract() -> None:
    own = {c.symbol for c in contracts({"lib/core/a.py": OLD}, OWN) if "adapters" in c.symbol}
    assert own == set()


def test_names_are_of_the_tree_that_has_most_of_the_way_to_them() -> None:
    files = {"lib/core/a.py": OLD}
    pair = comparison(files, files, in_memory(OWN))
    owners = {
        "lib.core.a.f": pair.old_tree,
        "lib.core": pair.old_tree,
        "lib.adapters.mine.own.helper": pair.own_tree,
        "lib.adapters": pair.own_tree,
        "lib.adapters.third": pair.own_tree,
        "lib": pair.old_tree,
        "lib.third": pair.old_tree,
        "other": None,
    }
    assert {name: pair.old.tree_of(name) for name in owners} == owners
