"""Monkey-patches: whether the patched name is still there, still the definition, and still called so."""

from __future__ import annotations

from syncbot.contracts.changes import NameDetails
from tests.contracts.world import engine, findings, rows

F = "def f(a):\n    b = a\n    return b\n"
MOD = "from engine import core\ndef mine(a): ...\ncore.f = mine\n"


def test_the_new_home_of_a_patched_name_is_told() -> None:
    old, new = engine(F, other="x = 1\n"), engine("", other="x = 1\n" + F)
    found = findings(old, new, {"plugin/use.py": MOD})
    assert rows(found) == ["patch-target-removed engine.core.f breaks 3 f"]
    assert found[0].details == NameDetails(old="engine.core.f", new="engine.other.f")
