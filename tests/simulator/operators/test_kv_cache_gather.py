"""Cached tokens are read in order, from the first one or from an offset."""

from __future__ import annotations

import pytest
import torch
from torch_npu_sim.constraints import ConstraintError

from tests.simulator.operators.running import Call, checked, run

NAME = "npu_gather_pa_kv_cache"
BLOCK, TABLE = 8, [[4, 1, 0], [0, 2, 3], [3, 3, 3]]


def call(lengths: list[int], offsets: list[int] | None) -> Call:
    caches = torch.randn(5, BLOCK, 1, 32), torch.randn(5, BLOCK, 1, 16)
    lists = torch.tensor(TABLE, dtype=torch.int32), torch.tensor(lengths, dtype=torch.int32)
    outputs = torch.zeros(sum(lengths), 1, 32), torch.zeros(sum(lengths), 1, 16)
    more = {} if offsets is None else {"seq_offset": torch.tensor(offsets, dtype=torch.int32)}
    return (*caches, *lists, *outputs), more


@pytest.mark.parametrize(
    ("lengths", "offsets"), [([9, 8, 3], None), ([9, 0, 3], [8, 24, 16]), ([5, 7, 1], [3, 9, 0])]
)
def test_tokens_are_read_in_order(lengths: list[int], offsets: list[int] | None) -> None:
    arguments, keywords = call(lengths, offsets)
    run(NAME, *arguments, **keywords)
    first = offsets or [0, 0, 0]
    places = [(row, first[row] + token) for row, length in enumerate(lengths) for token in range(length)]
    for cache, output in zip(arguments[:2], arguments[4:], strict=True):
        exact = torch.stack([cache[TABLE[row][token // BLOCK], token % BLOCK] for row, token in places])
        assert torch.equal(output, exact)


def test_opcheck() -> None:
    checked(NAME, call([9, 8, 3], [8, 0, 16]))


@pytest.mark.parametrize(
    ("offsets", "demand"),
    [([16, 0, 0], "at least 4 columns"), ([0, -1, 0], "must not be negative"), ([0, 0], "one value a row")],
)
def test_what_is_demanded(offsets: list[int], demand: str) -> None:
    arguments, keywords = call([9, 8, 3], offsets)
    with pytest.raises(ConstraintError, match=demand):
        run(NAME, *arguments, **keywords)
