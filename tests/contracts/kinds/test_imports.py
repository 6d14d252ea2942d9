"""Imports: what becomes of a name that the backend imports."""

from __future__ import annotations

import pytest

from syncbot.contracts.changes import NameDetails
from tests.contracts.world import audits, findings

F = "def f(a):\n    b = a\n    return b\n"
IMPORT = "from lib.a import f\n"


def test_the_new_home_is_told_with_the_finding() -> None:
    new = {"lib/z.py": "", "lib/c/__init__.py": "", "lib/c/a.py": F}
    (finding,) = findings(F, new, IMPORT)
    assert finding.details == NameDetails(old="lib.a", new="lib.c.a")
    assert finding.reason == "lib.a no longer exists; it is now lib.c.a"


def test_the_audit_names_imports_that_one_tree_lacks() -> None:
    backend = "from lib.a import f\ntry:\n    from lib.a import g\nexcept ImportError:\n    g = None\n"
    both = "def f(): ...\ndef g(): ...\n"
    assert audits("", both, backend) == ["1: lib.a.f does not exist"]
    assert audits(both, both, backend) == []


LAZY = "def __getattr__(name):\n    if name == 'late':\n        return 1\n    raise AttributeError(name)\n"


@pytest.mark.parametrize(
    ("backend", "missing"),
    [
        ("from lib.part.a import C\n", "lib.part.a.C"),
        ("import lib.part.a\n", "lib.part.a"),
        ("from lib import gone\n", "lib.gone"),
        ("from lib import late\n", None),
        ("from lib._built import op\n", None),
        ("from lib.b import D\n", None),
    ],
)
def test_an_import_statement_does_not_ask_a_package_for_modules_that_it_lacks(
    backend: str, missing: str | None
) -> None:
    new = {"lib/__init__.py": LAZY, "lib/b.py": "class D: ...\n"}
    old = {**new, "lib/part/__init__.py": "", "lib/part/a.py": "class C: ...\n"}
    assert audits(new, old, backend) == ([f"1: {missing} does not exist"] if missing else [])
