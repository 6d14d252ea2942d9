"""Dotted names in strings: those that the upstream tree has, and no others."""

from __future__ import annotations

from syncbot.contracts.changes import NameDetails
from syncbot.contracts.discovery import discover
from syncbot.contracts.sources import in_memory
from tests.contracts.world import PACKAGES, comparison, engine, findings, rows

TOOL = "class Tool:\n    def run(self):\n        return 1\n    def stop(self):\n        return 2\n"


def test_the_new_home_is_told() -> None:
    new = engine("", other=TOOL)
    (finding,) = findings(engine(TOOL), new, {"plugin/use.py": "PATH = 'engine.core:Tool'\n"})
    assert rows([finding]) == ["symbol-moved engine.core.Tool breaks 1"]
    assert finding.details == NameDetails(old="engine.core.Tool", new="engine.other.Tool")


def test_the_targets_of_patch_calls_are_more_certain() -> None:
    plugin = "import mock\nPATH = 'engine.core.Tool'\n@mock.patch('engine.core.Tool')\ndef test(tool): ...\n"
    plain, patched = findings(engine(TOOL), engine(""), {"plugin/use.py": plugin})
    assert plain.ground.share < patched.ground.share


def test_a_module_is_named_too() -> None:
    old, new = engine("", other=TOOL), engine("", another=TOOL)
    found = findings(old, new, {"plugin/use.py": "PATH = 'engine.other'\n"})
    assert rows(found) == ["symbol-moved engine.other breaks 1"]
    backend = in_memory({"plugin/use.py": "PATH = 'engine.other'\n"})
    contracts = discover(backend, comparison(old, new, backend, PACKAGES).old, PACKAGES)
    assert [(c.kind, c.symbol) for c in contracts] == [("string", "engine.other")]
