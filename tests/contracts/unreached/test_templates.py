"""Callers in modules that others were generated from."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

BASE = "class Base:\n    def run(self, x{more}): ...\n"
CALLER = "from lib.a import Base\n\n\ndef go(b: Base):\n    b.run(1{passed})\n"
USE = "from lib.a import Base\n\n\nclass Mine(Base):\n    def run(self, x): ...\n"


def _told(comment: str, other: str = "") -> list[str]:
    def lib(more: str, passed: str) -> dict[str, str]:
        files = {"lib/a.py": comment + BASE.format(more=more), "lib/drawn.py": CALLER.format(passed=passed)}
        return {**files, "lib/c.py": other} if other else files

    return compare(lib("", ""), lib(", y=0", ", y=2"), USE)


def test_a_module_that_comments_alone_name() -> None:
    assert _told("# Generated from drawn.py.\n") == ["parameter-added lib.a.Base.run at-risk 5 y"]


@pytest.mark.parametrize(
    ("comment", "other"),
    [
        pytest.param("", "", id="nobody names it"),
        pytest.param("# Generated from withdrawn.py.\n", "", id="another word"),
        pytest.param("# See drawn.py.\n", "from lib import drawn\n", id="imported"),
        pytest.param("# See drawn.py.\n", "def late():\n    import lib.drawn\n", id="imported late"),
        pytest.param("# See drawn.py.\n", "NAMES = ['drawn']\n", id="named in a text"),
    ],
)
def test_a_module_that_may_run(comment: str, other: str) -> None:
    assert _told(comment, other) == ["parameter-added lib.a.Base.run breaks 5 y"]
