"""The delta rule in chunks gives what it gives token by token."""

from __future__ import annotations

import itertools
from typing import Any

import pytest
import torch
from torch_npu_sim.constraints import ConstraintError

from tests.simulator.operators.running import checked, close, run

STATES = ("_C_ascend::chunk_gated_delta_rule_fwd_h", "_C_ascend::chunk_gated_delta_rule_fwd_h_vllm")
OUTPUTS = ("_C_ascend::chunk_fwd_o", "_C_ascend::chunk_fwd_o_vllm")
CHUNK, SCALE, ENDS = 4, 0.3, [0, 6, 13]


class Given:
    """Tokens of two sequences, two heads of keys and four of values, by token: all in float64."""

    def __init__(self) -> None:
        tokens = ENDS[-1]
        self.query, self.key = (torch.randn(tokens, 2, 8).double() / 3 for _ in range(2))
        self.value, self.beta = torch.randn(tokens, 4, 5).double(), torch.rand(tokens, 4).double()
        self.decay, self.state = -torch.rand(tokens, 4).double() / 4, torch.randn(2, 4, 8, 5).double()

    def by_token(self) -> tuple[torch.Tensor, torch.Tensor]:
        """The outputs, and the states after each sequence."""
        outputs, after = torch.zeros(ENDS[-1], 4, 5).double(), self.state.clone()
        for sequence, (start, end) in enumerate(itertools.pairwise(ENDS)):
            for token in range(start, end):
                for head in range(4):
                    key, query = self.key[token, head // 2], self.query[token, head // 2]
                    state = after[sequence, head] * self.decay[token, head].exp()
                    error = self.value[token, head] - key @ state
                    after[sequence, head] = state + torch.outer(key, self.beta[token, head] * error)
                    outputs[token, head] = SCALE * (query @ after[sequence, head])
        return outputs, after

    def by_chunk(self) -> dict[str, torch.Tensor]:
        """Return the operators' arguments: keys, the solved parts and the summed decay, heads first."""
        total, w, u = (
            torch.zeros_like(self.decay),
            torch.zeros(ENDS[-1], 4, 8).double(),
            torch.zeros_like(self.value),
        )
        for start, end in itertools.pairwise(ENDS):
            for first in range(start, end, CHUNK):
                part = slice(first, min(first + CHUNK, end))
                total[part] = self.decay[part].cumsum(0)
                for head in range(4):
                    key, beta, sums = self.key[part, head // 2], self.beta[part, head], total[part, head]
                    between = (sums[:, None] - sums[None, :]).exp()
                    system = torch.eye(len(key)).double() + (beta[:, None] * between * (key @ key.T)).tril(-1)
                    inverse = torch.linalg.inv(system)
                    u[part, head] = inverse @ (beta[:, None] * self.value[part, head])
                    w[part, head] = inverse @ (beta[:, None] * sums.exp()[:, None] * key)
        parts = {"q": self.query, "k": self.key, "w": w, "u": u}
        found = {name: part.transpose(0, 1)[None].float().contiguous() for name, part in parts.items()}
        return found | {"g": total.T[None].float().contiguous()}


def both(given: Given, states: str, outputs: str) -> tuple[torch.Tensor, ...]:
    parts, common = given.by_chunk(), {"cu_seqlens": ENDS, "chunk_size": CHUNK}
    h, new, after = run(
        states, parts["k"], parts["w"], parts["u"], g=parts["g"], initial_state=given.state.float(),
        output_final_state=True, **common,
    )  # fmt: skip
    return run(outputs, parts["q"], parts["k"], new, h, SCALE, g=parts["g"], **common), after, h


@pytest.mark.parametrize(("states", "outputs"), list(zip(STATES, OUTPUTS, strict=True)))
def test_chunks_give_what_tokens_give(states: str, outputs: str) -> None:
    given = Given()
    output, after, h = both(given, states, outputs)
    exact, last = given.by_token()
    close(output[0].transpose(0, 1), exact, torch.float32, 10)
    close(after, last, torch.float32, 10)
    # Six tokens are two chunks, seven are two: four states before them.
    assert h.shape == (1, 4, 4, 8, 5)


def sample(name: str) -> tuple[tuple[Any, ...], dict[str, Any]]:
    parts = Given().by_chunk()
    if name in STATES:
        return (parts["k"], parts["w"], parts["u"]), {
            "g": parts["g"],
            "chunk_size": CHUNK,
            "cu_seqlens": ENDS,
        }
    h = torch.randn(1, 4, 4, 8, 5)
    return (parts["q"], parts["k"], parts["u"], h, SCALE), {
        "g": parts["g"],
        "chunk_size": CHUNK,
        "cu_seqlens": ENDS,
    }


@pytest.mark.parametrize("name", [*STATES, *OUTPUTS])
def test_opcheck(name: str) -> None:
    # How many chunks there are depends on the lengths, which are numbers: no graph has them as symbols.
    checked(name, sample(name), without=("test_aot_dispatch_dynamic",))


@pytest.mark.parametrize(
    ("name", "change", "demand"),
    [
        (STATES[0], {"cu_seqlens": [0, 6, 12]}, "cu_seqlens must rise to the tokens"),
        (STATES[0], {"initial_state": torch.zeros(1, 4, 8, 5)}, "initial_state must be"),
        (OUTPUTS[0], {"g": torch.zeros(1, 4, 12)}, r"g must be \[1, Nv, T\]"),
    ],
)
def test_what_is_demanded(name: str, change: dict[str, Any], demand: str) -> None:
    arguments, keywords = sample(name)
    with pytest.raises(ConstraintError, match=demand):
        run(name, *arguments, **keywords | change)
