"""Tokens for a draft model: each request's own, one more, those to draft, those rejected."""

from __future__ import annotations

import pytest
import torch
from torch_npu_sim.constraints import ConstraintError

from tests.simulator.operators.running import Call, checked, run

NAME = "_C_ascend::npu_copy_and_expand_eagle_inputs"
PADDING, MASK = 0, 99


def whole(*values: int) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.int32)


def call(shift: bool, slots: int) -> Call:
    """Three tokens of which one is rejected, then two."""
    total = 5 + 2 * (slots - shift)
    tokens, positions = whole(11, 12, 13, 21, 22), whole(4, 5, 6, 8, 9)
    return (
        tokens,
        positions,
        whole(51, 52),
        whole(0, 3, 5),
        whole(1, 4),
        PADDING,
        MASK,
        slots,
        shift,
        total,
    ), {}


@pytest.mark.parametrize("slots", [1, 3])
def test_unshifted(slots: int) -> None:
    ids, places, rejected, masked, new, states = run(NAME, *call(shift=False, slots=slots)[0])
    drafts = [MASK] * (slots - 1)
    assert ids.tolist() == [11, 12, 51, *drafts, PADDING, 21, 22, 52, *drafts]
    assert places.tolist() == [*range(4, 6 + slots), 0, *range(8, 10 + slots)]
    first, second = 2, 3 + slots + 2
    assert new.tolist() == [*range(first, first + slots), *range(second, second + slots)]
    assert [i for i, yes in enumerate(rejected.tolist()) if yes] == [2 + slots]
    assert [i for i, yes in enumerate(masked.tolist()) if yes] == [
        *range(first + 1, first + slots), *range(second + 1, second + slots),
    ]  # fmt: skip
    assert not states.any()


@pytest.mark.parametrize("slots", [1, 3])
def test_shifted(slots: int) -> None:
    ids, places, rejected, _, new, states = run(NAME, *call(shift=True, slots=slots)[0])
    drafts = [MASK] * (slots - 1)
    assert ids.tolist() == [12, 51, *drafts, PADDING, 22, 52, *drafts]
    assert places.tolist() == [*range(4, 5 + slots), 0, *range(8, 9 + slots)]
    second = 2 + slots
    assert new.tolist() == [*range(1, 1 + slots), *range(second + 1, second + 1 + slots)]
    assert states.tolist() == [0, 1, 2, second, second + 1]
    assert rejected.sum() == 1


@pytest.mark.parametrize("shift", [False, True])
def test_opcheck(shift: bool) -> None:
    checked(NAME, call(shift, 2))


def test_the_total_holds_them_all() -> None:
    arguments = list(call(shift=False, slots=2)[0])
    arguments[-1] = 8
    with pytest.raises(ConstraintError, match="total_draft_tokens is too small"):
        run(NAME, *arguments)
