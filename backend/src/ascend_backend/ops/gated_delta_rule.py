"""The gated delta rule: a state for each head, in place of the keys and values of all tokens before.

A token with key k, value v, decay g and strength b makes of the state S the state e^g S + b (v - e^g S k) k^T,
and its output is scale * S q with that new state.
"""

import torch
import torch_npu


def sequences(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    *,
    strength: torch.Tensor,
    decay: torch.Tensor,
    states: torch.Tensor,
    lengths: torch.Tensor,
    scale: float,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the outputs of packed sequences, shaped as ``value``, and the state after each.

    Query and key are [tokens, key heads, key size], value [tokens, value heads, value size], ``strength`` and
    ``decay`` (float32) [tokens, value heads], ``states`` [sequences, value heads, value size, key size] and
    ``lengths`` int32.
    """
    output, after = torch_npu.npu_chunk_gated_delta_rule(
        query,
        key,
        value,
        beta=strength,
        initial_state=states,
        actual_seq_lengths=lengths,
        scale=scale,
        g=decay,
    )
    return output, after


def tokens(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    *,
    strength: torch.Tensor,
    decay: torch.Tensor,
    states: torch.Tensor,
    scale: float,
) -> torch.Tensor:
    """Return the outputs of sequences of one token each, and change ``states`` to those after it.

    Shapes are those of ``sequences``.
    """
    count = len(states)
    output: torch.Tensor = torch_npu.npu_recurrent_gated_delta_rule(
        query,
        key,
        value,
        states,
        beta=strength,
        scale=scale,
        actual_seq_lengths=torch.ones(count, dtype=torch.int32, device=states.device),
        ssm_state_indices=torch.arange(count, dtype=torch.int32, device=states.device),
        g=decay,
    )
    return output
