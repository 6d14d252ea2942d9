"""Names that upstream only imports from other packages: they are as gone as its own where it does so no more."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

STATEMENT = "from markup import Safe\n"
ASKED = """def __getattr__(name):
    if name == "Safe":
        from markup import Safe
        return Safe
    raise AttributeError(name)
"""
OTHERS = """def __getattr__(name):
    if name == "version":
        return 1
    raise AttributeError(name)
"""
USES = [
    pytest.param("from lib.a import Safe\n", "symbol-removed lib.a.Safe breaks 1", id="import"),
    pytest.param(
        "import lib.a\nlib.a.Safe('x')\n", "attribute-removed lib.a.Safe breaks 2 Safe", id="module"
    ),
    pytest.param(
        "from unittest.mock import patch\n@patch('lib.a.Safe')\ndef test(safe): ...\n",
        "symbol-removed lib.a.Safe breaks 2",
        id="patch by name",
    ),
    pytest.param(
        "import lib.a\nlib.a.Safe = str\n", "patch-target-removed lib.a.Safe breaks 2 Safe", id="patch"
    ),
]


@pytest.mark.parametrize("old", [STATEMENT, ASKED], ids=["by statement", "on request"])
@pytest.mark.parametrize("new", ["", OTHERS], ids=["nothing", "other names"])
@pytest.mark.parametrize(("use", "expected"), USES)
def test_what_upstream_takes_from_elsewhere_no_more(old: str, new: str, use: str, expected: str) -> None:
    assert compare({"lib/a.py": old}, {"lib/a.py": new}, use) == [expected]


@pytest.mark.parametrize(
    "new",
    [
        pytest.param("from markup.safe import Safe\n", id="from another module"),
        pytest.param("class Safe(str): ...\n", id="its own now"),
        pytest.param(ASKED, id="on request now"),
        pytest.param("def __getattr__(name):\n    return made(name)\n__all__ = ['Safe']\n", id="spelled"),
        pytest.param("def Safe(:\n", id="not to be read"),
    ],
)
@pytest.mark.parametrize(
    "use", [*(p.values[0] for p in USES), "import lib.a\nif hasattr(lib.a, 'Other'):\n    lib.a.Other\n"]
)
def test_what_is_still_there(new: str, use: str) -> None:
    assert "removed" not in str(compare({"lib/a.py": STATEMENT}, {"lib/a.py": new}, use))


@pytest.mark.parametrize(("use", "expected"), USES)
def test_what_may_never_have_been_there(use: str, expected: str) -> None:
    old = "def __getattr__(name):\n    return made(name)\n"
    assert "breaks" not in str(compare({"lib/a.py": old}, {"lib/a.py": OTHERS}, use))
