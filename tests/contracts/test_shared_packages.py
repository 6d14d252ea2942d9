"""A backend whose modules stand below the top-level package that upstream's modules stand below."""

from __future__ import annotations

import pytest

from syncbot.contracts.sources import in_memory
from tests.contracts.world import comparison, contracts, findings, rows

OLD = """\
class Base:
    def go(self, a): ...
    def run(self):
        self.go(1)
def f(a): ...
x = 1
"""
NEW = OLD.replace("def go(self, a)", "def go(self, a, b)").replace("self.go(1)", "self.go(1, 2)")
NEW = NEW.replace("def f(a)", "def f()").replace("x = 1\n", "")
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
FINDINGS = [
    "parameter-removed lib.core.a.f breaks 11 0",
    "parameter-removed lib.core.a.f breaks 8 0",
    "parameter-required lib.core.a.Base.go breaks 7 b",
    "symbol-removed lib.core.a.x breaks 1",
]
FILES: list[tuple[str, ...]] = [
    (),
    ("lib/__init__.py",),
    ("lib/__init__.py", "lib/adapters/__init__.py"),
]


@pytest.mark.parametrize("theirs", [*FILES, ("lib/adapters/theirs.py",)])
@pytest.mark.parametrize("ours", FILES)
def test_each_finds_its_own_modules(theirs: tuple[str, ...], ours: tuple[str, ...]) -> None:
    upstream, backend = dict.fromkeys(theirs, ""), {**OWN, **dict.fromkeys(ours, "")}
    found = findings({"lib/core/a.py": OLD, **upstream}, {"lib/core/a.py": NEW, **upstream}, backend)
    assert rows(found) == FINDINGS


def test_what_the_backend_has_there_is_no_contract() -> None:
    own = {c.symbol for c in contracts({"lib/core/a.py": OLD}, OWN) if "adapters" in c.symbol}
    assert own == set()


def test_an_upstream_package_that_only_the_backend_has_a_folder_of_from_now_on() -> None:
    old = {"lib/core/a.py": OLD, "lib/adapters/theirs.py": "def f(): ...\n"}
    backend = {**OWN, "lib/adapters/mine/use.py": "from lib.adapters.theirs import f\n"}
    assert rows(findings(old, {"lib/core/a.py": OLD}, backend)) == [
        "module-removed lib.adapters.theirs breaks 1"
    ]


def test_what_neither_has_is_no_contract_that_breaks() -> None:
    backend = {**OWN, "lib/adapters/mine/use.py": "from lib.adapters.third import f\nf(1)\n"}
    assert findings({"lib/core/a.py": OLD}, {"lib/core/a.py": NEW}, backend) == []


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
