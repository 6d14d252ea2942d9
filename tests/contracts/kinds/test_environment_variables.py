"""Environment variables that upstream reads and the backend sets."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

READ = 'import os\n\nFAST = os.getenv("LIB_FAST", "0")\n'
TABLE = """
import os

variables = {
    "LIB_FAST": lambda: os.getenv("LIB_FAST"),
    "LIB_PORT": get_port,
}

def __getattr__(name):
    return variables[name]()
"""
SET = 'import os\n\nos.environ["LIB_FAST"] = "1"\n'
GONE = ["variable-removed LIB_FAST at-risk 3 LIB_FAST"]


@pytest.mark.parametrize(
    ("old", "backend", "expected"),
    [
        (READ, SET, GONE),
        (TABLE, SET, GONE),
        (READ.replace("os.getenv(", "os.environ.get("), SET, GONE),
        ('import os\n\nif "LIB_FAST" in os.environ:\n    pass\n', SET, GONE),
        ('import os\n\nX = os.environ["LIB_FAST"]\n', SET, GONE),
        (READ, 'import os\n\nos.environ.setdefault("LIB_FAST", "1")\n', GONE),
        (READ, 'import os\n\nos.environ.update({"LIB_FAST": "1"})\n', GONE),
        (READ, 'def f(monkeypatch):\n\n    monkeypatch.setenv("LIB_FAST", "1")\n', GONE),
        (
            TABLE,
            "from lib import a\n\nassert a.LIB_PORT\n",
            ["variable-removed lib.a.LIB_PORT breaks 3 LIB_PORT"],
        ),
    ],
)
def test_a_variable_that_upstream_reads_no_longer(old: str, backend: str, expected: list[str]) -> None:
    new = 'variables = {"LIB_OTHER": lambda: 1}\n\ndef __getattr__(name):\n    return variables[name]()\n'
    assert compare(old, new, backend) == expected


@pytest.mark.parametrize(
    ("old", "new", "backend"),
    [
        pytest.param({"lib/a.py": READ}, {"lib/b.py": READ}, SET, id="read elsewhere now"),
        pytest.param(
            {"lib/a.py": READ, "lib/b.py": READ}, {"lib/a.py": "", "lib/b.py": READ}, SET, id="still read"
        ),
        pytest.param(READ, "", 'import os\n\nX = os.getenv("LIB_FAST")\n', id="the backend's own read"),
        pytest.param(READ, "", SET.replace("LIB_FAST", "OTHER_FAST"), id="another variable"),
        pytest.param('# "LIB_FAST"\nNAME = "LIB_FAST"\n', "", SET, id="only mentioned"),
        pytest.param(SET, "", SET, id="only set upstream"),
    ],
)
def test_variables_of_no_concern(old: str, new: str, backend: str) -> None:
    assert compare(old, new, backend) == []


def test_a_declared_variable_is_told_once() -> None:
    declared = "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    LIB_PORT: int\n" + TABLE
    without = declared.replace("    LIB_PORT: int\n", "    pass\n").replace("LIB_PORT", "LIB_PORTS")
    assert compare(declared, without, "from lib import a\n\nassert a.LIB_PORT\n") == [
        "attribute-removed lib.a.LIB_PORT breaks 3 LIB_PORT"
    ]
