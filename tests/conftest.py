"""Settings for all tests."""

from __future__ import annotations

import gc
import os
import signal
import sys

import pytest

from tests import budget

assert budget.PROFILE

# What the tests make refers to itself seldom; looking for it took a tenth of their time.
gc.set_threshold(100_000, 20, 100)

# A shell that runs the tests in its background has them ignore Ctrl-C, and so would all that they start.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Without bytecode, each of the thousand processes that the tests start would compile syncbot anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False


# Folders whose tests run whole commands, servers or git, again and again: each takes as long as fifty others.
_COMMANDS = [
    "cli",
    "explain",
    "lanes",
    "overlay",
    "planning",
    "publish",
    "server",
    "site",
    "upstream",
    "verify",
]


@pytest.hookimpl(tryfirst=True)  # before -m chooses
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the tests of whole commands. Where several processes share the tests, those that take long begin, so
    that none waits at the end."""
    folders = {config.rootpath / "tests" / name for name in _COMMANDS}
    for item in items:
        if not folders.isdisjoint(item.path.parents):
            item.add_marker(pytest.mark.commands)
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: {"machine", "long"}.isdisjoint(mark.name for mark in item.iter_markers()))
