"""Upstream modules that the backend replaces as a whole."""

from __future__ import annotations

import pytest

from tests.contracts.world import Files, compare

OLD = {"lib/a.py": "def f():\n    return 1\n", "lib/b.py": "from lib.a import f\n"}
ENTRY = "import sys\n\nsys.modules['lib.a'] = object()\n"
OWN = {
    "plugin/__init__.py": "import sys\n\nfrom plugin import own\n\nsys.modules['lib.a'] = own\n",
    "plugin/own.py": "def f():\n    return 2\n",
}


@pytest.mark.parametrize(
    ("new", "backend", "expected"),
    [
        pytest.param({"lib/b.py": ""}, ENTRY, ["module-entry-unused lib.a breaks 3"], id="module gone"),
        pytest.param(
            {**OLD, "lib/b.py": "from lib.a import f, g\n"},
            OWN,
            ["module-name-missing lib.a breaks 5 g"],
            id="upstream imports more of it",
        ),
        pytest.param(
            {**OLD, "lib/c.py": "def later():\n    from .a import g\n"},
            OWN,
            ["module-name-missing lib.a breaks 5 g"],
            id="relative and later",
        ),
    ],
)
def test_entries(new: Files, backend: Files, expected: list[str]) -> None:
    assert compare(OLD, new, backend) == expected


@pytest.mark.parametrize(
    ("new", "backend"),
    [
        pytest.param({**OLD, "lib/b.py": "from lib.a import f, g\n"}, ENTRY, id="nobody knows what it has"),
        pytest.param({**OLD, "lib/c.py": "from lib.a import f\n"}, OWN, id="a name that it has"),
        pytest.param({**OLD, "lib/a.py": "def f():\n    return 3\n"}, OWN, id="only the module changed"),
        pytest.param({"lib/b.py": ""}, ENTRY.replace("lib.a", "other.a"), id="another package"),
    ],
)
def test_entries_that_still_serve(new: Files, backend: Files) -> None:
    assert compare(OLD, new, backend) == []
