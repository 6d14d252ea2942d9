"""Methods of upstream's classes that are gone, and that another module of the backend puts there."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

OLD = "class Tool:\n    def help(self): ...\n"
NEW = "class Tool: ...\n"
PUT = "from lib.a import Tool\n\ndef help(self): ...\n\nTool.help = staticmethod(help)\n"
USE = "from lib.a import Tool\n\ndef go():\n    return Tool.help\n"


@pytest.mark.parametrize(
    ("files", "verdict"),
    [
        pytest.param({"plugin/put.py": PUT}, "at-risk", id="by another module"),
        pytest.param({"plugin/put.py": PUT.replace("Tool.help =", "Tool.other =")}, "breaks", id="another name"),
        pytest.param({"plugin/put.py": PUT.replace("from lib.a", "from lib.b")}, "breaks", id="another class"),
        pytest.param({"plugin/put.py": PUT.replace("\nTool.", "\nif flag:\n    Tool.")}, "breaks", id="perhaps"),
        pytest.param({"tests/test_put.py": PUT}, "breaks", id="by a test"),
        pytest.param({}, "breaks", id="by nobody"),
    ],
)  # fmt: skip
def test_what_another_module_puts_there(files: dict[str, str], verdict: str) -> None:
    rows = compare(OLD, NEW, {"plugin/use.py": USE, "plugin/__init__.py": "", **files})
    assert [row.split()[2] for row in rows if row.startswith("attribute-removed") and " 4 " in row] == [
        verdict
    ]


def test_the_module_that_puts_it_there_reads_it_before() -> None:
    text = PUT.replace("def help", "kept = Tool.help\n\ndef help")
    rows = compare(OLD, NEW, {"plugin/put.py": text, "plugin/__init__.py": ""})
    assert [row.split()[2] for row in rows if row.startswith("attribute-removed")] == ["breaks"]
