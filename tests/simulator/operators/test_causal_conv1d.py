"""Short causal convolutions, token by token, and what a sequence remembers between calls."""

from __future__ import annotations

import math

import pytest
import torch
from torch_npu_sim.constraints import ConstraintError

from tests.simulator.operators.running import Call, checked, close, dtypes, run

NAME = "_C_ascend::npu_causal_conv1d_custom"
WIDTH, CHANNELS, PAD = 4, 6, -1


def convolved(
    history: list[torch.Tensor], weight: torch.Tensor, bias: torch.Tensor, silu: bool
) -> torch.Tensor:
    """The output at the last of the inputs; before the first there were zeros."""
    total = bias.double()
    for back in range(min(WIDTH, len(history))):
        total = total + history[-1 - back].double() * weight[WIDTH - 1 - back].double()
    return torch.tensor([v / (1 + math.exp(-v)) for v in total.tolist()]).double() if silu else total


def call(
    x: torch.Tensor, weight: torch.Tensor, state: torch.Tensor, bias: torch.Tensor, starts: list[int], blocks: list[int],
    *, initial: list[bool] | None = None, accepted: list[int] | None = None, silu: bool = True,
) -> Call:  # fmt: skip
    mode = None if initial is None else torch.tensor(initial)
    taken = None if accepted is None else torch.tensor(accepted, dtype=torch.int32)
    places = torch.tensor(starts, dtype=torch.int32), torch.tensor(blocks, dtype=torch.int32)
    output = torch.zeros_like(x)
    return (output, x, weight, state, bias, *places, mode, taken, int(silu), PAD, int(initial is None)), {}


@dtypes
@pytest.mark.parametrize("silu", [True, False])
def test_prompts_in_chunks_and_tokens_after_them(silu: bool, dtype: torch.dtype) -> None:
    weight, bias = torch.randn(WIDTH, CHANNELS).to(dtype), torch.randn(CHANNELS).to(dtype)
    sequences = [torch.randn(7, CHANNELS).to(dtype), torch.randn(3, CHANNELS).to(dtype)]
    state, blocks = torch.full((5, WIDTH - 1, CHANNELS), 7.0).to(dtype), [4, 1]
    found: list[list[torch.Tensor]] = [[], []]
    # A chunk of two and a token, one more chunk, then single tokens.
    for step, parts in enumerate([[(0, 2), (0, 1)], [(2, 5), (1, 2)], [(5, 6), (2, 3)]]):
        x = torch.cat([sequence[a:b] for sequence, (a, b) in zip(sequences, parts, strict=True)])
        first = parts[0][1] - parts[0][0]
        initial = None if step == 2 else [step > 0, step > 0]
        arguments, _ = call(x, weight, state, bias, [0, first, len(x)], blocks, initial=initial, silu=silu)
        result = run(NAME, *arguments)
        assert result is arguments[0]
        found[0] += result[:first]
        found[1] += result[first:]
    for sequence, outputs in zip(sequences, found, strict=True):
        for token, output in enumerate(outputs):
            close(output, convolved([*sequence[: token + 1]], weight, bias, silu), dtype, 2)
    assert (state[[0, 2, 3]] == 7.0).all()


@pytest.mark.parametrize("accepted", [1, 2, 3])
def test_the_next_tokens_follow_the_accepted_drafts(accepted: int) -> None:
    weight, bias = torch.randn(WIDTH, CHANNELS), torch.randn(CHANNELS)
    prompt, drafts, more = torch.randn(5, CHANNELS), torch.randn(3, CHANNELS), torch.randn(3, CHANNELS)
    state = torch.zeros(2, WIDTH - 1 + 2, CHANNELS)
    run(NAME, *call(prompt, weight, state, bias, [0, 5], [1], initial=[False])[0])
    run(NAME, *call(drafts, weight, state, bias, [0, 3], [1], accepted=[1])[0])
    result = run(NAME, *call(more, weight, state, bias, [0, 3], [1], accepted=[accepted])[0])
    inputs = [*prompt, *drafts[:accepted]]
    for token in range(3):
        inputs.append(more[token])
        close(result[token], convolved(inputs, weight, bias, silu=True), torch.float32)


def test_padding_is_left_alone() -> None:
    state = torch.full((2, WIDTH - 1, CHANNELS), 7.0)
    x, weight, bias = torch.randn(2, CHANNELS), torch.randn(WIDTH, CHANNELS), torch.randn(CHANNELS)
    arguments, _ = call(x, weight, state, bias, [0, 1, 2], [PAD, 0])
    run(NAME, *arguments)
    assert not arguments[0][0].any()
    assert arguments[0][1].any()
    assert (state[1] == 7.0).all()


def sample() -> Call:
    x, weight, state = (
        torch.randn(3, CHANNELS),
        torch.randn(WIDTH, CHANNELS),
        torch.randn(2, WIDTH - 1, CHANNELS),
    )
    return call(x, weight, state, torch.randn(CHANNELS), [0, 2, 3], [1, 0], initial=[True, False])


def test_opcheck() -> None:
    # Its schema does not say that it writes its output and the cache, and returns the output.
    checked(NAME, sample(), without=("test_schema", "test_faketensor", "test_aot_dispatch_dynamic"))


@pytest.mark.parametrize(
    ("place", "value", "demand"),
    [
        (6, torch.tensor([2, 0], dtype=torch.int32), r"cache_indices must lie in \[0, 1\]"),
        (6, torch.tensor([1], dtype=torch.int32), "cache_indices must have one value a sequence"),
        (2, torch.randn(WIDTH + 1, CHANNELS), "a token less than the kernel"),
        (1, torch.randn(3, CHANNELS + 1), "must agree in channels"),
        (-1, 2, "run_mode must be 0 or 1"),
    ],
)
def test_what_is_demanded(place: int, value: object, demand: str) -> None:
    arguments = list(sample()[0])
    arguments[place] = value
    with pytest.raises(ConstraintError, match=demand):
        run(NAME, *arguments)
