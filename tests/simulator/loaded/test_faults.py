"""Faults take effect where they are put in, and say how often."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace

import pytest
import torch
import torch_npu
from torch_npu_sim import faults, operators


@pytest.fixture(autouse=True)
def _sound_again() -> Iterator[None]:
    yield
    operators.replaced.clear()
    faults.took_effect.clear()


def test_an_operator_is_computed_wrongly_and_the_fault_says_how_often() -> None:
    x = torch.randn(2, 8, device="npu")
    correct = torch_npu.npu_swiglu(x)
    faults.in_operator("twice", "npu_swiglu", lambda reference: lambda *a, **k: 2 * reference(*a, **k))
    assert faults.took_effect == {"twice": 0}
    assert torch.equal(torch_npu.npu_swiglu(x), 2 * correct)
    assert faults.took_effect == {"twice": 1}


def test_a_member_is_replaced_and_a_fault_that_nobody_meets_stays_at_zero() -> None:
    owner = SimpleNamespace(double=lambda x: 2 * x, half=lambda x: x / 2)
    faults.in_member("wrong", owner, "double", lambda correct: lambda x: correct(x) + 1)
    faults.in_member("unmet", owner, "half", lambda correct: correct)
    assert owner.double(3) == 7
    assert faults.took_effect == {"wrong": 1, "unmet": 0}


def test_what_is_not_there_cannot_be_changed() -> None:
    with pytest.raises(KeyError):
        faults.in_operator("fault", "npu_no_such_operator", lambda reference: reference)
    with pytest.raises(AttributeError):
        faults.in_member("fault", SimpleNamespace(), "none", lambda correct: correct)
