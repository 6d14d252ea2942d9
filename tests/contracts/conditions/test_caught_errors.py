"""An attribute that the code around expects to be missing at times."""

from __future__ import annotations

import pytest

from tests.contracts.compare import compare, rows, text, told

OLD = "class Store:\n    old = 1\n    def __init__(self): ...\n"
NEW = OLD.replace("old", "new")
PLUGIN = """
from engine.core import Store

def read(store: Store):
    try:
        found = store.old
    except {caught}:
        {handled}
    return found
"""


@pytest.mark.parametrize(
    ("caught", "handled", "verdict"),
    [
        ("AttributeError", "found = store.new", "at-risk"),
        ("(KeyError, AttributeError)", "found = None", "at-risk"),
        ("Exception", "found = store.new", "at-risk"),
        ("KeyError", "found = None", "breaks"),
        ("AttributeError", "raise RuntimeError", "breaks"),
    ],
)
def test_a_handler_that_goes_on_without_it(caught: str, handled: str, verdict: str) -> None:
    """The attribute is gone; whether that harms is for the handler to say."""
    rows = told(OLD, NEW, PLUGIN.format(caught=caught, handled=handled))
    assert rows == [f"attribute-removed core.Store.old {verdict} 5"]


@pytest.mark.parametrize(
    "plugin",
    [
        PLUGIN.replace("        found =", "        prepare()\n        found =").format(caught="Exception", handled="pass"),
        "from engine.core import Store\ntry:\n    def read(store: Store):\n        return store.old\n"
        "except AttributeError:\n    pass\n",
        "from engine.core import Store\ndef read(store: Store):\n    try:\n        prepare()\n"
        "    except AttributeError:\n        return store.old\n",
    ],
    ids=["a wide handler around more", "a function that runs later", "in the handler itself"],
)  # fmt: skip
def test_a_handler_that_is_for_something_else(plugin: str) -> None:
    """A handler around more than that one statement is not meant for it."""
    assert [row.split()[2] for row in told(OLD, NEW, plugin)] == ["breaks"]


MODULES = {
    "engine/__init__.py": "",
    "engine/core.py": "class Store: ...\n",
    "engine/disk.py": "class Disk: ...\n",
}
PATCHES = """
import engine.core

def patch(ours):
    try:
        import engine.core
        {patch}
        engine.disk.Disk.open = ours
    except{caught}:
        {handled}
"""


@pytest.mark.parametrize(
    ("patch", "caught", "handled", "verdict"),
    [
        ("engine.core.Store.open = ours", "", "pass", "at-risk"),
        ("engine.core.Store.open = ours", " Exception as e", "print(e)", "at-risk"),
        ("engine.core.Store.open = ours", " KeyError", "pass", "breaks"),
        ("engine.core.Store.open = ours", "", "raise", "breaks"),
        ("engine.core.Store()", "", "pass", "breaks"),
        ("store = engine.core.Store", "", "pass", "breaks"),
    ],
)
def test_a_wide_handler_around_nothing_but_patches(
    patch: str, caught: str, handled: str, verdict: str
) -> None:
    """Who tries to patch several things, and goes on without, expects that some are gone."""
    plugin = text(PATCHES.format(patch=patch, caught=caught, handled=handled))
    plugin = plugin.replace("import engine.core\n", "import engine.core, engine.disk\n", 1)
    new = {path: source for path, source in MODULES.items() if "disk" not in path}
    found = compare(MODULES, new, {"plugin/use.py": plugin})
    assert {row.split()[2] for row in rows(found) if row.endswith(" 7")} == {verdict}
