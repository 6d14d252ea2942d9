"""Upstream modules that begin to import what the backend replaces."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

A = "def f():\n    return 1\n"
PATCH = "import lib.a\n\ndef own():\n    return 2\n\n{}\n"
EXPECTED = "name-imported-early lib.a.f at-risk 6 lib.b"


def told(before: str, after: str, statement: str) -> list[str]:
    old = {"lib/__init__.py": "import lib.b\n", "lib/a.py": A, "lib/b.py": before}
    new = {**old, "lib/b.py": after}
    return [row for row in compare(old, new, PATCH.format(statement)) if row.startswith("name-imported")]


@pytest.mark.parametrize("statement", ["lib.a.f = own", 'setattr(lib.a, "f", own)'])
@pytest.mark.parametrize(
    "after",
    [
        "from lib.a import f\n",
        "from .a import f as g\n",
        "try:\n    from lib.a import f\nexcept ImportError:\n    f = None\n",
    ],
)
def test_a_new_import(statement: str, after: str) -> None:
    assert told("import lib.a\n", after, statement) == [EXPECTED]


@pytest.mark.parametrize(
    ("before", "after", "statement"),
    [
        pytest.param(
            "from lib.a import f\n", "from lib.a import f\nx = 1\n", "lib.a.f = own", id="before too"
        ),
        pytest.param("", "import lib.a\n\ndef g():\n    return lib.a.f()\n", "lib.a.f = own", id="looked up"),
        pytest.param("", "def g():\n    from lib.a import f\n", "lib.a.f = own", id="imported when called"),
        pytest.param("", "from lib.a import f\n", "lib.a.g = own", id="another name"),
        pytest.param("", "from lib import f\n", "lib.a.f = own", id="another module"),
        pytest.param("", "from lib.a import f\n", "own()", id="nothing replaced"),
        pytest.param(
            "",
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from lib.a import f\n",
            "lib.a.f = own",
            id="for type checkers",
        ),
    ],
)
def test_no_new_import(before: str, after: str, statement: str) -> None:
    assert told(before, after, statement) == []


def test_a_module_that_nothing_imports_before() -> None:
    old = {"lib/__init__.py": "", "lib/a.py": A, "lib/b.py": ""}
    new = {**old, "lib/b.py": "from lib.a import f\n"}
    assert compare(old, new, PATCH.format("lib.a.f = own")) == []
    through = PATCH.format("lib.a.f = own").replace("import lib.a\n", "import lib.a, lib.b\n")
    assert compare(old, new, through) == [EXPECTED]
