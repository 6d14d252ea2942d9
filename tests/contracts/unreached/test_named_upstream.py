"""Who names the function of upstream that calls: an overridden method alone, or something else as well."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

OLD = """
class Tool:
    def run(self, x):
        return x

class Worker:
    def __init__(self, tool: Tool):
        self.tool = tool

    def drive(self):
        return ask(self.tool)

def ask(tool):
    return tool.run(1)
"""
NEW = OLD.replace("def run(self, x)", "def run(self, x, y=0)").replace("run(1)", "run(1, y=2)")
OWN = """
import lib.a
from lib.a import Tool, Worker

class OwnTool(Tool):
    def run(self, x):
        return x

class OwnWorker(Worker):
    def drive(self):
        return 1
"""


def verdict(own: str = "", **more: str) -> str:
    """Return the verdict about the override, beside other modules of upstream."""
    others = {f"lib/{name}.py": text for name, text in more.items()}
    (row,) = compare({"lib/a.py": OLD, **others}, {"lib/a.py": NEW, **others}, OWN + own)
    kind, symbol, told, *_ = row.split()
    assert (kind, symbol) == ("parameter-added", "lib.a.Tool.run")
    return told


def test_only_an_overridden_method_names_it() -> None:
    assert verdict() == "at-risk"


@pytest.mark.parametrize(
    ("own", "told"),
    [
        pytest.param("\ndef ask(tool):\n    return 1\n", "at-risk", id="its own function"),
        pytest.param("\ndef ask(tool):\n    return 1\n\n__all__ = ['ask']\n", "at-risk", id="exported"),
        pytest.param("\nfrom lib.a import ask\n", "breaks", id="upstream's"),
        pytest.param("\ndef ask(tool):\n    return lib.a.ask(tool)\n", "breaks", id="asked of a module"),
        pytest.param("\ndef ask(tool):\n    return find('ask')\n", "breaks", id="spelled"),
        pytest.param("\ndef more():\n    return find().ask\n", "breaks", id="asked of something"),
    ],
)
def test_the_backend_has_a_word_for_it(own: str, told: str) -> None:
    assert verdict(own) == told


@pytest.mark.parametrize(
    ("imported", "told"),
    [
        pytest.param("from lib.c import other as ask", "at-risk", id="something else"),
        pytest.param("from lib.a import ask", "breaks", id="the same"),
        pytest.param("from lib.c import other as ask\nfrom lib.a import ask as more", "breaks", id="both"),
        pytest.param("from others import ask", "at-risk", id="of another package"),
    ],
)
def test_another_module_calls_something_by_that_name(imported: str, told: str) -> None:
    user = f"{imported}\n\ndef go():\n    ask(1)\n"
    assert verdict(b=user, c="def other(tool): ...\n") == told


@pytest.mark.parametrize(
    ("user", "told"),
    [
        pytest.param("from lib.a import ask as more\n\ndef go():\n    more(1)\n", "breaks", id="called"),
        pytest.param(
            "from lib.a import (\n    Tool,\n    ask as more,\n)\nmore(1)\n", "breaks", id="in brackets"
        ),
        pytest.param("from lib.a import ask as more\n", "at-risk", id="only imported"),
        pytest.param("def go(e):\n    with ask as e:\n        e()\n", "breaks", id="named otherwise"),
    ],
)
def test_it_is_imported_under_another_name(user: str, told: str) -> None:
    assert verdict(b=user) == told


def test_many_name_it_beside_what_an_import_renames() -> None:
    """An overridden method that uses it under another name does not account for all other mentions."""
    home = "\ndef ask" + OLD.partition("\ndef ask")[2]
    rest = "from lib.b import ask as go\n" + OLD.partition("\ndef ask")[0].replace("ask(", "go(")
    names = {f"lib/m{n}.py": "NAME = 'lib.b.ask'\n" for n in range(20)}
    told = []
    for others in ({}, names):
        old = {"lib/a.py": rest, "lib/b.py": home, **others}
        new = {"lib/a.py": rest.replace("self, x)", "self, x, y=0)"), **others}
        new["lib/b.py"] = home.replace("run(1)", "run(1, y=2)")
        told += [row.split()[2] for row in compare(old, new, OWN)]
    assert told == ["at-risk", "breaks"]
