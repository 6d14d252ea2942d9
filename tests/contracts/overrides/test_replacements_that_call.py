"""Functions that the backend puts into a class under a removed name, and calls there itself."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

OLD = """
class Tool:
    def run(self):
        return self.help()

    def help(self): ...

    def deep(self): ...

class Other:
    def run(self): ...
"""
NEW = """
class Tool:
    def run(self):
        return 1

class Other:
    def run(self): ...
"""
PLUGIN = """
from lib.a import Other, Tool

def help(self): ...

def run(self):
    return self.help()

Tool.help = help
Tool.run = run
"""


def told(plugin: str) -> set[str]:
    found = (row.split() for row in compare(OLD, NEW, plugin))
    return {row[2] for row in found if row[:2] == ["patch-target-removed", "lib.a.Tool.help"]}


def test_a_function_that_upstream_still_calls_calls_it() -> None:
    assert told(PLUGIN) == {"at-risk"}


def test_one_that_such_a_function_calls_calls_it() -> None:
    plugin = PLUGIN.replace("return self.help()", "return self.deep()")
    plugin += "\ndef deep(self):\n    self.help()\n\nTool.deep = deep\n"
    assert told(plugin) == {"at-risk"}
    assert told(plugin.replace("return self.deep()", "return 1")) == {"breaks"}


@pytest.mark.parametrize(
    "plugin",
    [
        pytest.param(PLUGIN.replace("Tool.run = run\n", ""), id="not put there"),
        pytest.param(PLUGIN.replace("Tool.run", "Other.run"), id="put elsewhere"),
        pytest.param(PLUGIN.replace("Tool.run", "Tool.deep"), id="under a name that is gone"),
        pytest.param(PLUGIN.replace("self.help()", "self.tool.help()"), id="asked of something else"),
        pytest.param(PLUGIN.replace("self.help()", "help(self)"), id="called as a function"),
    ],
)
def test_nothing_that_runs_calls_it(plugin: str) -> None:
    assert told(plugin) == {"breaks"}
