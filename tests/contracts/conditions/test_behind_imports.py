"""Code behind an import that fails now, where the error is caught."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

OLD = {"lib/a.py": "def f(a, b): ...\ndef g(): ...\n", "lib/b.py": "class C:\n    def m(self): ...\n"}
NEW = {"lib/a.py": "def f(a): ...\ndef g(): ...\n", "lib/c.py": ""}
PLUGIN = """
from lib.a import f
try:
    {before}
    f(1, 2)
    {behind}
except {caught}:
    {handled}
"""


def plugin(before: str, caught: str = "ImportError", handled: str = "pass", behind: str = "pass") -> str:
    return PLUGIN.format(before=before, caught=caught, handled=handled, behind=behind)


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        (plugin("import lib.b"), "at-risk"),
        (plugin("from lib.b import C"), "at-risk"),
        (plugin("from lib.b import C", "(KeyError, ImportError)"), "at-risk"),
        (plugin("from lib.b import C", "Exception as e", "print(e)"), "at-risk"),
        (plugin("from lib.b import C").replace("except ImportError:", "except:"), "at-risk"),
        (plugin("import lib.c"), "at-risk"),
        (plugin("from lib.b import C", "KeyError"), "breaks"),
        (plugin("from lib.b import C", handled="raise"), "breaks"),
        (plugin("from lib.a import g"), "breaks"),
        (plugin("from lib.c import never_there"), "breaks"),
        (plugin("import other"), "breaks"),
        (plugin("pass", behind="from lib.b import C"), "breaks"),
        (plugin("pass", handled="from lib.b import C"), "breaks"),
    ],
)
def test_a_call_behind_an_import(text: str, verdict: str) -> None:
    """The call does not fit any more; nobody gets, or got, to it where the import before it fails first."""
    assert [row for row in compare(OLD, NEW, text) if ".f " in row] == [
        f"parameter-removed lib.a.f {verdict} 4 1"
    ]


@pytest.mark.parametrize(
    ("use", "verdict"),
    [("C().m()", "breaks"), ("print(1)", "at-risk"), ("C is not None and C().m()", "breaks")],
)
@pytest.mark.parametrize("handled", ["pass", "print('no lib')"])
def test_a_call_behind_an_import_that_is_needed(handled: str, use: str, verdict: str) -> None:
    """Code that needs the import fails without it: once the import is mended, the call fails."""
    text = plugin("from lib.b import C", handled=handled) + f"def h():\n    {use}\n"
    assert {row.split()[2] for row in compare(OLD, NEW, text) if ".f " in row} == {verdict}


def test_a_call_in_the_handler() -> None:
    """The code in the handler runs in place of the import."""
    text = plugin("from lib.b import C", handled="f(3, 4)").replace("    f(1, 2)\n", "")
    rows = compare(OLD, NEW, text)
    assert [row.split()[2] for row in rows if ".f " in row] == ["breaks"]


def test_a_patch_of_where_it_is_now_and_one_of_where_it_was() -> None:
    plugin = "try:\n    import lib.new as m\n    m.C = int\nexcept ImportError:\n    import lib.old as m\n    m.C = int\n"
    rows = compare({"lib/old.py": "class C: ...\n"}, {"lib/new.py": "class C: ...\n"}, plugin)
    assert [row for row in rows if " breaks " in row] == []
