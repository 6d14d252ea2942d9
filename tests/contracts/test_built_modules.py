"""Modules without a file that upstream imports all the same."""

from __future__ import annotations

from tests.contracts.world import audits

OLD = {"lib/made/__init__.py": "def fast(): ...\n", "lib/a.py": ""}
PLUGIN = "from lib.made import fast\nfast()\n"


def test_a_tree_that_lacks_it_is_not_blamed() -> None:
    """An audit of one tree alone knows it as well."""
    assert audits({"lib/a.py": "from lib.made import fast\n"}, OLD, PLUGIN) == []
    assert audits({"lib/a.py": ""}, OLD, PLUGIN) == ["1: lib.made.fast does not exist"]
