"""The replacements of fla_npu's functions, against the same sums as the operators that they replaced."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from typing import Any

import pytest
import torch
from torch_npu_sim.surface.stand_ins import StandInFinder

from tests.simulator.operators.running import close
from tests.simulator.operators.test_causal_conv1d import CHANNELS, WIDTH, convolved
from tests.simulator.operators.test_gated_delta_rule import call, exact


@pytest.fixture
def functions() -> Iterator[Any]:
    finder = StandInFinder(("fla_npu",))
    sys.meta_path.append(finder)
    yield importlib.import_module("fla_npu.ops.ascendc")
    sys.meta_path.remove(finder)
    for name in [name for name in sys.modules if name.partition(".")[0] == "fla_npu"]:
        del sys.modules[name]


def whole(*values: int) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.int32, device="npu")


def test_convolution_of_prompts_and_of_tokens_after_them(functions: Any) -> None:
    weight, bias = torch.randn(WIDTH, CHANNELS), torch.randn(CHANNELS)
    prompt, more = torch.randn(5, CHANNELS), torch.randn(1, CHANNELS)
    state = torch.full((3, WIDTH - 1, CHANNELS), 7.0, device="npu")
    # The second sequence stands in the null block: it is padding.
    x = torch.cat((prompt, torch.randn(2, CHANNELS))).to("npu")
    found = functions.causal_conv1d_fn(
        x, weight.to("npu"), bias.to("npu"), conv_states=state, query_start_loc=whole(0, 5, 7),
        cache_indices=whole(2, 0), has_initial_state=torch.zeros(2, dtype=torch.bool, device="npu"), null_block_id=0,
    )  # fmt: skip
    out = torch.empty(1, CHANNELS, device="npu")
    after = functions.causal_conv1d_update(
        more.to("npu"), state, weight.to("npu"), bias=bias.to("npu"), activation="silu",
        conv_state_indices=whole(2), query_start_loc=whole(0, 1), max_query_len=1, null_block_id=0, out=out,
    )  # fmt: skip
    assert after is out
    for token in range(5):
        close(found[token].cpu(), convolved([*prompt[: token + 1]], weight, bias, silu=True), torch.float32)
    close(out[0].cpu(), convolved([*prompt, *more], weight, bias, silu=True), torch.float32)
    assert (state[:2] == 7.0).all()


def test_delta_rule_of_tokens(functions: Any) -> None:
    arguments, keywords = call([1, 1], [5, 2])
    before = arguments[3].clone()
    given = [part.to("npu") for part in arguments]
    named = {key: v.to("npu") if isinstance(v, torch.Tensor) else v for key, v in keywords.items()}
    result = functions.recurrent_gated_delta_rule(*given, **named)
    for token, block in enumerate([5, 2]):
        present = before[block].double()
        close(result[token].cpu(), exact(arguments, keywords, token, present), torch.float32, 10)
        close(given[3][block].cpu(), present, torch.float32, 10)


def test_delta_rule_of_sequences(functions: Any) -> None:
    arguments, keywords = call([3, 2], [0, 0, 0, 1, 1])
    query, key, value, states = (part.to("npu") for part in arguments)
    output, after = functions.chunk_gated_delta_rule_fwd(
        *(part.transpose(0, 1)[None].contiguous() for part in (query, key, value)),
        *(keywords[name][None].to("npu") for name in ("g", "beta")),
        initial_state=states[:2].transpose(-1, -2).contiguous(), output_final_state=True, chunk_size=64,
        cu_seqlens=[0, 3, 5], chunk_indices=None, scale=keywords["scale"], layout="BNSD",
    )  # fmt: skip
    assert (output.shape, after.shape) == ((1, 5, 4, 8), (2, 4, 16, 8))
    for sequence, tokens in enumerate([range(3), range(3, 5)]):
        present = arguments[3][sequence].double()
        for token in tokens:
            close(output[0, token].cpu(), exact(arguments, keywords, token, present), torch.float32, 10)
        close(after[sequence].cpu().transpose(-1, -2), present, torch.float32, 10)


def test_what_is_not_computed_says_so(functions: Any) -> None:
    with pytest.raises(NotImplementedError, match="chunk_kda_fwd"):
        functions.chunk_kda_fwd(1)
