"""The gated delta rule of vllm-ascend's own extension, token by token and head by head."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch_npu_sim.constraints import ConstraintError

from tests.simulator.operators.running import Call, checked, close, run

NAME = "_C_ascend::npu_recurrent_gated_delta_rule"


def call(
    lengths: list[int], indices: list[int], state_dtype: torch.dtype = torch.float32, **more: Any
) -> Call:
    tokens = len(indices)
    query, key = torch.randn(tokens, 2, 16) / 4, torch.randn(tokens, 2, 16) / 4
    state = torch.randn(6, 4, 8, 16).to(state_dtype)
    return (query, key, torch.randn(tokens, 4, 8), state), {
        "beta": torch.rand(tokens, 4),
        "scale": 0.3,
        "actual_seq_lengths": torch.tensor(lengths, dtype=torch.int32),
        "ssm_state_indices": torch.tensor(indices, dtype=torch.int32),
        "g": -torch.rand(tokens, 4),
        **more,
    }


def exact(
    arguments: tuple[Any, ...], keywords: dict[str, Any], token: int, state: torch.Tensor
) -> torch.Tensor:
    """The output of one token; the state, in float64, becomes that after it."""
    query, key, value = (part[token].double() for part in arguments[:3])
    output = torch.zeros(4, 8, dtype=torch.float64)
    for head in range(4):
        state[head] *= keywords["g"][token, head].double().exp()
        for row in range(8):
            error = value[head, row] - state[head, row] @ key[head // 2]
            state[head, row] += keywords["beta"][token, head].double() * error * key[head // 2]
            output[head, row] = keywords["scale"] * (state[head, row] @ query[head // 2])
    return output


@pytest.mark.parametrize("state_dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("accepted", [None, [1, 2], [3, 1]])
def test_tokens_and_drafts(accepted: list[int] | None, state_dtype: torch.dtype) -> None:
    more = {} if accepted is None else {"num_accepted_tokens": torch.tensor(accepted, dtype=torch.int32)}
    arguments, keywords = call([3, 2], [5, 0, 2, 4, 1], state_dtype, **more)
    before, state = arguments[3].clone(), arguments[3]
    result = run(NAME, *arguments, **keywords)
    for start, count, kept in [(0, 3, (accepted or [1, 1])[0]), (3, 2, (accepted or [1, 1])[1])]:
        indices = keywords["ssm_state_indices"].tolist()
        present = before[indices[start + kept - 1]].double()
        for token in range(start, start + count):
            close(result[token], exact(arguments, keywords, token, present), torch.float32, 10)
            close(state[indices[token]], present, state_dtype)
    assert torch.equal(state[3], before[3])


def test_padding_after_all_sequences_is_left_alone() -> None:
    arguments, keywords = call([1, 1, 0], [5, 0, -1])
    before = arguments[3].clone()
    result = run(NAME, *arguments, **keywords)
    assert not result[2].any()
    assert torch.equal(arguments[3][1:5], before[1:5])


def test_opcheck() -> None:
    checked(NAME, call([2, 1], [1, 2, 4]))


@pytest.mark.parametrize(
    ("change", "demand"),
    [
        ({"actual_seq_lengths": torch.tensor([2, 2], dtype=torch.int32)}, "must sum up to the tokens"),
        ({"ssm_state_indices": torch.tensor([1, 2, 6], dtype=torch.int32)}, r"must lie in \[0, 5\]"),
        ({"num_accepted_tokens": torch.tensor([3, 1], dtype=torch.int32)}, "must lie within the sequence"),
        ({"num_accepted_tokens": torch.tensor([1], dtype=torch.int32)}, "one value a sequence"),
    ],
)
def test_what_is_demanded(change: dict[str, Any], demand: str) -> None:
    arguments, keywords = call([2, 1], [1, 2, 4])
    with pytest.raises(ConstraintError, match=demand):
        run(NAME, *arguments, **keywords | change)
