"""Objects that are called themselves."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

CALLABLE = "class T:\n    def __call__(self, a, b=1): ...\n"
MODULE = "from torch import nn\nclass T(nn.Module):\n    def forward(self, a, b=1): ...\n"
OWN = "from lib.a import T\nclass C:\n    def __init__(self, t: T):\n        self.t = T()\n    def m(self, t: T):\n        {}\n"


@pytest.mark.parametrize("line", ["self.t(1, 2)", "t(1, 2)", "T()(1, 2)", "x = self.t(1, b=2)"])
@pytest.mark.parametrize(
    "old",
    [
        CALLABLE,
        MODULE,
        MODULE.replace("from torch import nn", "import torch.nn as nn"),
        MODULE.replace("class T(nn.Module)", "class B(nn.Module): ...\nclass T(B)"),
    ],
)
def test_the_call_no_longer_binds(old: str, line: str) -> None:
    name = "__call__" if old is CALLABLE else "forward"
    rows = compare(old, old.replace(", b=1", ""), OWN.format(line))
    assert [row.rpartition(" ")[0] for row in rows] == [f"parameter-removed lib.a.T.{name} breaks 6"]
    added = compare(old, old.replace("b=1", "b=1, *, c"), OWN.format(line))
    assert added == [f"parameter-added lib.a.T.{name} breaks 6 c"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param(CALLABLE, CALLABLE.replace("b=1", "b=1, c=2"), id="still fits"),
        pytest.param(MODULE, MODULE.replace("a, b=1", "*args, **kw"), id="takes all"),
        pytest.param(MODULE.replace("nn.Module", "object"), MODULE.replace("nn.Module", "object").replace(", b=1", ""),
                     id="forward of another class"),
        pytest.param(MODULE, MODULE.replace(", b=1", "") + "    def __call__(self, *args, **kw): ...\n",
                     id="called otherwise now"),
    ],
)  # fmt: skip
def test_calls_that_fit(old: str, new: str) -> None:
    rows = compare(old, new, OWN.format("self.t(1, b=2)"))
    assert [row for row in rows if " breaks " in row] == []


def test_a_module_of_the_backend_is_called_as_it_says() -> None:
    own = "from lib.a import T\nclass M(T):\n    def forward(self, a, b, c): ...\ndef g(m: M):\n    m(1, 2, 3)\n"
    assert [row for row in compare(MODULE, MODULE.replace(", b=1", ""), own) if " 5 " in row] == []


def test_what_a_module_gives() -> None:
    old = "class R:\n    x: int\n" + MODULE.replace("b=1)", "b=1) -> R")
    assert compare(old, old.replace("x: int", "y: int"), OWN.format("print(self.t(1).x)")) == [
        "attribute-removed lib.a.R.x breaks 6 x"
    ]
