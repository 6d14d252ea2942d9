"""Imports in a ``try`` whose handler raises all the same."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

OLD = "def f(): ...\n"
PLUGIN = """
try:
    from lib.a import f
except {caught}:
    {handled}
"""


@pytest.mark.parametrize(
    ("caught", "handled", "verdict"),
    [
        ("ImportError", "raise", "breaks"),
        ("Exception as e", "log(e)\n    raise RuntimeError('install lib') from e", "breaks"),
        ("ImportError", "why = 'lib'\n    raise ImportError(why)", "breaks"),
        ("KeyError", "pass\nexcept ImportError:\n    raise", "breaks"),
        ("ImportError", "print('install lib')\n    exit(1)", "breaks"),
        ("ImportError", "import sys\n    sys.exit('install lib')", "breaks"),
        ("ImportError", "sys.exit('install lib')", "breaks"),
        ("ImportError", "os._exit(1)", "breaks"),
        ("ImportError", "leave(1)", "at-risk"),
        ("ImportError", "exits = exit", "at-risk"),
        ("ImportError", "if needed:\n        exit(1)", "at-risk"),
        ("ImportError", "from lib.b import f", "breaks"),
        ("ModuleNotFoundError", "log()\n    import lib.b", "breaks"),
        ("ImportError", "from other import f", "at-risk"),
        ("ImportError", "from lib.c import f", "at-risk"),
        (
            "ImportError",
            "try:\n        from lib.b import f\n    except ImportError:\n        f = None",
            "at-risk",
        ),
        ("ImportError", "pass", "at-risk"),
        ("ImportError", "if needed:\n        raise", "at-risk"),
        ("ImportError", "if not needed:\n        g()\n    raise", "at-risk"),
    ],
)
def test_a_handler_that_raises(caught: str, handled: str, verdict: str) -> None:
    """Who only says what is missing does not go on without it."""
    old, new = {"lib/a.py": OLD, "lib/c.py": OLD}, {"lib/a.py": "", "lib/c.py": OLD}
    rows = compare(old, new, PLUGIN.format(caught=caught, handled=handled))
    assert rows == [f"symbol-removed lib.a.f {verdict} 2"]


def test_a_try_around_that_goes_on() -> None:
    """The outer ``try`` catches the error that the handler raises again."""
    inner = PLUGIN.format(caught="ImportError", handled="raise").strip().replace("\n", "\n    ")
    plugin = f"try:\n    {inner}\nexcept ImportError:\n    pass\n"
    assert compare(OLD, "", plugin) == ["symbol-removed lib.a.f at-risk 3"]
    plugin = f"try:\n    g()\nexcept ValueError:\n    {inner}\n"
    assert compare(OLD, "", plugin) == ["symbol-removed lib.a.f breaks 5"]
