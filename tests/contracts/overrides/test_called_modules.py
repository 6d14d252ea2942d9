"""Calls of torch's modules themselves reach ``forward``, or the method that it chooses."""

from __future__ import annotations

import pytest

from tests.contracts.world import compare

OPERATOR = """
import torch.nn as nn


class Operator({base}):
    def __init__(self):
        self.method = self.choose()

    def choose(self):
        return self.forward_native if plain() else self.forward_device

    def forward(self, *args, **kwargs):
        return self.method(*args, **kwargs)

    def forward_native(self, *args, **kwargs):
        raise NotImplementedError

    def forward_device(self, *args, **kwargs):
        {handing}


class Norm(Operator):
    def forward_native(self, x{more}): ...


class Narrow(Norm): ...


class Layer(nn.Module):
    def __init__(self):
        self.norm = {made}()

    def forward(self, x):
        return self.norm(x{given})
"""
HANDING = "return self.forward_native(*args, **kwargs)"
MINE = "from lib.a import Norm\n\n\nclass Mine(Norm):\n    def forward_device(self, x{taken}): ...\n"


def _operators(more: str, given: str, **other: str) -> str:
    parts = {"base": "nn.Module", "handing": HANDING, "made": "Norm"} | other
    return OPERATOR.format(more=more, given=given, **parts)


def test_what_a_forward_chooses_is_given_more() -> None:
    """The override is held against the method that the one it overrides hands everything to."""
    old, new = _operators("", ""), _operators(", y=None", ", y=x")
    assert compare(old, new, MINE.format(taken="")) == [
        "parameter-added lib.a.Norm.forward_native breaks 5 y"
    ]
    new = _operators(", y", ", x")
    assert compare(old, new, MINE.format(taken="")) == [
        "parameter-required lib.a.Norm.forward_native breaks 5 y"
    ]


@pytest.mark.parametrize(
    ("new", "taken"),
    [
        pytest.param(_operators(", y=None", ", y=x"), ", y=None", id="takes it"),
        pytest.param(_operators(", y=None", ", y=x"), ", **more", id="takes anything"),
        pytest.param(_operators(", y=None", ", y=x", handing="return 1"), "", id="hands nothing on"),
        pytest.param(
            _operators(", y=None", ", y=x", handing="return self.forward_native(args[0])"), "", id="less"
        ),
    ],
)
def test_what_fits_or_is_given_to_nobody(new: str, taken: str) -> None:
    old = _operators("", "", handing="return 1") if HANDING not in new else _operators("", "")
    assert compare(old, new, MINE.format(taken=taken)) == []


def test_that_it_is_a_static_method_now_matters_to_nobody() -> None:
    old = _operators("", "")
    static = "    @staticmethod\n    def forward_native(x{more}): ..."
    new = old.replace("    def forward_native(self, x): ...", static.format(more=""))
    assert compare(old, new, MINE.format(taken="")) == []
    new = new.replace("forward_native(x)", "forward_native(x, y)").replace("self.norm(x)", "self.norm(x, x)")
    assert compare(old, new, MINE.format(taken="")) == [
        "parameter-required lib.a.Norm.forward_native breaks 5 y"
    ]


@pytest.mark.parametrize(
    ("other", "given"),
    [
        pytest.param({"base": "Plain"}, ", y=x", id="no module of torch"),
        pytest.param({"made": "Narrow"}, ", y=x", id="another class is made"),
        pytest.param({}, "", id="nobody passes it"),
    ],
)
def test_without_a_call_it_is_a_risk(other: dict[str, str], given: str) -> None:
    old, new = _operators("", "", **other), _operators(", y=None", given, **other)
    assert compare(old, new, MINE.format(taken="")) == [
        "parameter-added lib.a.Norm.forward_native at-risk 5 y"
    ]


PLAIN = """
import torch.nn as nn


class Norm(nn.Module):
    def forward(self, x{more}): ...


class Layer(nn.Module):
    def __init__(self):
        self.norm = Norm()

    def forward(self, x):
        return self.norm(x{given})
"""


@pytest.mark.parametrize(
    ("backend", "verdict"),
    [
        pytest.param("def mine(self, x): ...\n\n\nNorm.forward = mine\n", "breaks 6", id="patched method"),
        pytest.param(
            "class Mine(Norm):\n    def forward(self, x): ...\n\n\na.Norm = Mine\n",
            "breaks 4",
            id="patched class",
        ),
        pytest.param(
            "class Mine(Norm):\n    def forward(self, x): ...\n", "at-risk 4", id="a class of its own"
        ),
    ],
)
def test_a_forward_of_ours(backend: str, verdict: str) -> None:
    """Upstream makes objects of its own class: ours are called only where they take its place."""
    old, new = PLAIN.format(more="", given=""), PLAIN.format(more=", y=None", given=", y=x")
    rows = compare(old, new, "from lib import a\nfrom lib.a import Norm\n" + backend)
    assert rows == [f"parameter-added lib.a.Norm.forward {verdict} y"]
