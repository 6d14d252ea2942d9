"""Modules without a file that upstream imports all the same."""

from __future__ import annotations

import pytest

from tests.contracts.world import audits, compare

OLD = {"lib/made/__init__.py": "def fast(): ...\n", "lib/a.py": ""}
PLUGIN = "from lib.made import fast\nfast()\n"


@pytest.mark.parametrize(
    ("new", "verdict"),
    [
        ({"lib/a.py": "from lib.made import other\n"}, "at-risk"),
        ({"lib/a.py": "import lib.made.layers\n"}, "at-risk"),
        ({"lib/a.py": "if on_gpu():\n    from lib.made import fast\n"}, "at-risk"),
        ({"lib/a.py": "try:\n    from lib.made import fast\nexcept ImportError:\n    pass\n"}, "breaks"),
        ({"lib/a.py": "if TYPE_CHECKING:\n    from lib.made import fast\n"}, "breaks"),
        ({"lib/a.py": "def f():\n    from lib.made import fast\n"}, "breaks"),
        ({"lib/a.py": "from .made import fast\n"}, "breaks"),
        ({"lib/a.py": "from lib.made_by_hand import fast\n"}, "breaks"),
        ({"lib/a.py": "NAME = 'import lib.made'  # import lib.made\n"}, "breaks"),
        ({"lib/tests/test_made.py": "from lib.made import fast\n"}, "breaks"),
        ({"lib/a.py": "from lib.made import fast\n", "lib/made/__init__.py": ""}, "breaks"),
    ],
)
def test_a_module_that_upstream_itself_needs(new: dict[str, str], verdict: str) -> None:
    """Upstream cannot be loaded without the module, so something makes it: a build, as a rule."""
    rows = compare(OLD, {"lib/a.py": "", **new}, PLUGIN)
    assert [row.split()[2] for row in rows if row.startswith(("module-removed", "symbol-removed"))] == [
        verdict
    ]


def test_a_module_that_moved() -> None:
    """Where its new home is known, an import of the old one was forgotten."""
    new = {"lib/found.py": OLD["lib/made/__init__.py"], "lib/a.py": "from lib.made import fast\n"}
    rows = compare(OLD, new, PLUGIN)
    assert [row.split()[2] for row in rows if " 1" in row] == ["breaks"]


def test_a_tree_that_lacks_it_is_not_blamed() -> None:
    """An audit of one tree alone knows it as well."""
    assert audits({"lib/a.py": "from lib.made import fast\n"}, OLD, PLUGIN) == []
    assert audits({"lib/a.py": ""}, OLD, PLUGIN) == ["1: lib.made.fast does not exist"]
