"""Overrides: upstream calls them the way its own signature says, and that changed."""

from __future__ import annotations

import pytest

from syncbot.contracts.changes import ParameterDetails
from tests.contracts.world import audits, engine, findings, rows

BASE = "class Base:\n    def run(self, x):\n        a = x\n        b = a\n        return b\n"
MINE = "from engine.core import Base\nclass Mine(Base):\n    def run(self, x):\n        return x\n"


def test_a_caller_in_another_module_counts() -> None:
    old = engine(BASE, use="def drive(base):\n    base.run(1)\n")
    new = engine(BASE.replace("x)", "x, y=0)"), use="def drive(base):\n    base.run(1, y=2)\n")
    (finding,) = findings(old, new, {"plugin/use.py": MINE})
    assert rows([finding]) == ["parameter-added engine.core.Base.run breaks 3 y"]
    assert finding.details == ParameterDetails(
        parameter="y", method="run", base="engine.core.Base", default="0", after="x"
    )
    assert "drive, line 2" in finding.reason


@pytest.mark.parametrize(
    ("signature", "override", "expected"),
    [
        pytest.param("self, x", "self, x, y", ["Base.run() has no y, which this override requires"], id="more"),
        pytest.param("self, x", "self, x, *, y", ["Base.run() has no y, which this override requires"],
                     id="more by name"),
        pytest.param("self, x, y", "self, x", ["Base.run() requires y, which this override does not take"],
                     id="less"),
        pytest.param("self, *, y", "self", ["Base.run() requires y, which this override does not take"],
                     id="less by name"),
        pytest.param("self, x", "self, x, y=0", [], id="more, with a default"),
        pytest.param("self, x, y=0", "self, x", [], id="less, with a default"),
        pytest.param("self, x", "self, z", [], id="another name in the same place"),
        pytest.param("self, *args", "self, x", [], id="theirs is open"),
        pytest.param("self, x, y", "self, *args, **kwargs", [], id="ours is open"),
    ],
)  # fmt: skip
def test_an_override_that_no_call_fits(signature: str, override: str, expected: list[str]) -> None:
    base = f"class Base:\n    def run({signature}): ...\n    def __init__({signature}): ...\n"
    mine = (
        f"from lib.a import Base\nclass Mine(Base):\n    def run({override}): ...\n"
        f"    def __init__({override}): ...\n"
    )
    assert audits(base, base, mine) == [f"3: lib.a.{problem}" for problem in expected]


def test_an_override_that_stands_behind_a_static_method_is_compared_without_its_receiver() -> None:
    base = "class Base:\n    @staticmethod\n    def run(x): ...\n"
    mine = "from lib.a import Base\nclass Mine(Base):\n    @staticmethod\n    def run(x{}): ...\n"
    assert audits(base, base, mine.format("")) == []
    assert audits(base, base, mine.format(", y")) == [
        "4: lib.a.Base.run() has no y, which this override requires"
    ]
