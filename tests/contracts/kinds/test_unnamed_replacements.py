"""Functions without a name that leads to them, put into upstream's classes."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

OLD = "class T:\n    def m(self, x): ...\n    def run(self):\n        return self.m(1)\n"
NEW = "class T:\n    def m(self, x, y): ...\n    def run(self):\n        return self.m(1, 2)\n"
HEAD = "import functools\nfrom lib.a import T\n"
WRAP = "def wrap(orig):\n    {0}def inner({1}):\n        return None\n    return inner\nT.m = wrap(T.m)\n"


@pytest.mark.parametrize(
    "body",
    [
        "T.m = lambda self, x: x\n",
        "setattr(T, 'm', lambda self, x: x)\n",
        WRAP.format("", "self, x"),
        WRAP.format("@functools.wraps(orig)\n    ", "self, x"),
    ],
)
def test_what_does_not_fit_any_more(body: str) -> None:
    told = {row.partition(" breaks ")[0] for row in compare(OLD, NEW, HEAD + body) if " breaks " in row}
    assert "parameter-required lib.a.T.m" in told


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("T.m = lambda self, *x: x\n", id="takes anything"),
        pytest.param("T.m = lambda self, x, y=1: x\n", id="takes it"),
        pytest.param(WRAP.format("", "self, x, *more"), id="hands it on"),
        pytest.param(WRAP.format("@adapt\n    ", "self, x"), id="decorated"),
        pytest.param("@adapt\n" + WRAP.format("", "self, x"), id="made by what is decorated"),
        pytest.param(WRAP.format("", "self, x").replace("return inner", "return adapt(inner)"), id="adapted"),
        pytest.param(
            WRAP.format("", "self, x").replace(
                "    return inner", "    inner = adapt(inner)\n    return inner"
            ),
            id="bound anew",
        ),
        pytest.param("from elsewhere import wrap\nT.m = wrap(T.m)\n", id="made elsewhere"),
    ],
)
def test_what_may_fit(body: str) -> None:
    assert not [row for row in compare(OLD, NEW, HEAD + body) if " breaks " in row]
