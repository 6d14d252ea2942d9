"""Settings for all tests."""

from __future__ import annotations

import gc
import os
import signal
import sys
from pathlib import Path

import pytest

from syncbot import project_folders
from tests import budget

assert budget.PROFILE

# What the tests make refers to itself seldom; looking for it took a tenth of their time. What they import stays.
gc.set_threshold(100_000, 20, 100)
gc.disable()

# A shell that runs the tests in its background has them ignore Ctrl-C, and so would all that they start.
signal.signal(signal.SIGINT, signal.default_int_handler)

# What tests write need not outlive a machine that stops: to wait for the disk took a tenth of their time.
os.fsync = lambda fd: None

# Without bytecode, each of the thousand processes that the tests start would compile syncbot anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False


# Folders whose tests run whole commands, servers or git, again and again: each takes as long as fifty others.
_COMMANDS = {
    (name,)
    for name in (
        "cli", "explain", "lanes", "overlay", "planning", "publish", "server", "site", "upstream", "verify"
    )
}  # fmt: skip


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """A process for each processor, and one more where tests wait for what they started, a fifth of the time."""
    waits = "not machine" not in config.option.markexpr
    return (os.cpu_count() or 1) + waits


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Where ``-m`` leaves out the tests of whole commands, or of real releases, they are not even imported."""
    chosen = config.option.markexpr.split(" and ")
    is_of_releases = collection_path == config.rootpath / "tests" / "e2e"
    left_out = "not commands" in chosen and _is_of_commands(collection_path, config)
    return True if left_out or ("not machine" in chosen and is_of_releases) else None


@pytest.hookimpl(tryfirst=True)  # before -m chooses
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark the tests of whole commands. Where several processes share the tests, those that take long begin, and
    after them those of the whole project, so that none waits at the end."""
    of_commands = {path: _is_of_commands(path, config) for path in {item.path for item in items}}
    for item in items:
        if of_commands[item.path]:
            item.add_marker(pytest.mark.commands)
    if hasattr(config, "workerinput"):
        items.sort(key=_turn)


def pytest_collection_finish() -> None:
    """From here on only what tests make is looked through for garbage."""
    gc.freeze()
    gc.enable()


def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    """Forget a file's projects, of which the commands of all later files would each be kept out."""
    if nextitem is None or nextitem.path != item.path:
        project_folders._KNOWN.clear()


def _turn(item: pytest.Item) -> tuple[bool, bool]:
    is_short = {"machine", "long"}.isdisjoint(mark.name for mark in item.iter_markers())
    return is_short, item.path.parent != Path(__file__).parent


def _is_of_commands(path: Path, config: pytest.Config) -> bool:
    tests = config.rootpath / "tests"
    return path.is_relative_to(tests) and path.relative_to(tests).parts[:1] in _COMMANDS
