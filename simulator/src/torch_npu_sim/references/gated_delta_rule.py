"""The gated delta rule: what ``torch_npu/_op_plugin_docs.py`` says of the operators for sequences and for tokens.

Of ``npu_chunk_gated_delta_rule`` the documentation demands sequences of at most 8 tokens and shows an example with
100: it is made for prefills, so that sequences of any length are computed.

vllm-ascend's own operator for tokens (``_C_ascend``) also has states in float32 beside inputs in half, takes padding
after all sequences, and checks drafts: a sequence goes on from the state after its last accepted token.
"""

from collections.abc import Callable, Sequence

import torch

from torch_npu_sim.constraints import absent, dtype, rank, require, same_dtype
from torch_npu_sim.operators import fake, reference

_SEQUENCES = "npu_chunk_gated_delta_rule"
_TOKENS = "npu_recurrent_gated_delta_rule"
_OWN = "_C_ascend::npu_recurrent_gated_delta_rule"

#: Heads of keys and of values, and sizes of both.
_MOST_HEADS, _MOST_HEADS_OF_SEQUENCES = 256, 64
_LARGEST_SIZE, _SIZE_OF_SEQUENCES = 256, 128
_LONGEST = 8


def _check(
    operator: str,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    state: torch.Tensor | None,
    beta: torch.Tensor | None,
    scale: float | None,
    lengths: torch.Tensor | None,
    g: torch.Tensor | None,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, float]:
    """Return state, beta, lengths and scale, which the documentation demands and the schema does not."""
    if state is None or beta is None or lengths is None or scale is None:
        require(False, operator, "the state, beta, actual_seq_lengths and scale must be given")
        raise AssertionError
    given = {"query": query, "key": key, "value": value, "beta": beta}
    dtype(operator, (torch.bfloat16,), **given)
    same_dtype(operator, **given)
    if operator == _OWN:
        dtype(operator, (torch.bfloat16, torch.float32), state=state)
    else:
        dtype(operator, (torch.bfloat16,), state=state)
        same_dtype(operator, query=query, state=state)
    dtype(operator, (torch.float32,), g=g)
    dtype(operator, (torch.int32,), actual_seq_lengths=lengths)
    rank(operator, range(3, 4), query=query, key=key, value=value)
    rank(operator, range(4, 5), state=state)
    rank(operator, range(1, 2), actual_seq_lengths=lengths)
    require(query.shape == key.shape, operator, "query and key must be [tokens, Nk, Dk]")
    tokens, heads, size = value.shape
    require(key.shape[0] == tokens, operator, "value must be [tokens, Nv, Dv]")
    require(heads % key.shape[1] == 0, operator, "Nv must be a multiple of Nk")
    per_head = (tokens, heads)
    require(beta.shape == per_head, operator, "beta must be [tokens, Nv]")
    require(g is None or g.shape == per_head, operator, "g must be [tokens, Nv]")
    require(state.shape[1:] == (heads, size, key.shape[2]), operator, "the state must be [blocks, Nv, Dv, Dk]")
    return state, beta, lengths, scale


def _step(
    state: torch.Tensor, query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, beta: torch.Tensor, g: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the output of one token ([Nv, Dv]), not scaled, and the state after it ([Nv, Dv, Dk])."""
    state = state * g.exp()[:, None, None]
    error = value - torch.einsum("hvk,hk->hv", state, key)
    state = state + torch.einsum("hv,hk->hvk", error * beta[:, None], key)
    return torch.einsum("hvk,hk->hv", state, query), state


def _wide(
    query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, beta: torch.Tensor, g: torch.Tensor | None
) -> tuple[torch.Tensor, ...]:
    """Return everything in float32, with a query and a key for each head of values."""
    shared = value.shape[1] // key.shape[1]
    decay = torch.zeros_like(beta, dtype=torch.float32) if g is None else g
    repeated = (x.float().repeat_interleave(shared, dim=1) for x in (query, key))
    return (*repeated, value.float(), beta.float(), decay)


def _check_sequences(key: torch.Tensor, value: torch.Tensor, state: torch.Tensor, lengths: torch.Tensor) -> None:
    heads = max(key.shape[1], value.shape[1])
    require(heads <= _MOST_HEADS_OF_SEQUENCES, _SEQUENCES, f"at most {_MOST_HEADS_OF_SEQUENCES} heads, got {heads}")
    right = key.shape[2] == _SIZE_OF_SEQUENCES and value.shape[2] == _SIZE_OF_SEQUENCES
    require(right, _SEQUENCES, f"Dk and Dv must be {_SIZE_OF_SEQUENCES}")
    require(state.shape[0] == lengths.shape[0], _SEQUENCES, "there must be a state for each sequence")


@reference(_SEQUENCES)
def npu_chunk_gated_delta_rule(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    *,
    beta: torch.Tensor | None = None,
    initial_state: torch.Tensor | None = None,
    actual_seq_lengths: torch.Tensor | None = None,
    scale: float | None = None,
    g: torch.Tensor | None = None,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the outputs of packed sequences and the state after each."""
    state, beta, lengths, scale = _check(
        _SEQUENCES, query, key, value, initial_state, beta, scale, actual_seq_lengths, g
    )
    _check_sequences(key, value, state, lengths)
    counts = lengths.tolist()
    require(sum(counts) == len(value), _SEQUENCES, "actual_seq_lengths must sum up to the tokens")
    return sequences_of_delta_rule(query, key, value, beta, state, counts, scale, g)


def sequences_of_delta_rule(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    beta: torch.Tensor,
    states: torch.Tensor,
    lengths: Sequence[int],
    scale: float,
    g: torch.Tensor | None,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the outputs of packed sequences and the state after each."""
    parts = _wide(query, key, value, beta, g)
    output, after, token = value.new_empty(value.shape), states.new_empty(states.shape), 0
    for sequence, count in enumerate(lengths):
        present = states[sequence].float()
        for _ in range(count):
            one, present = _step(present, *(part[token] for part in parts))
            output[token] = scale * one
            token += 1
        after[sequence] = present
    return output, after


@fake(_SEQUENCES)
def npu_chunk_gated_delta_rule_fake(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    *,
    beta: torch.Tensor | None = None,
    initial_state: torch.Tensor | None = None,
    actual_seq_lengths: torch.Tensor | None = None,
    scale: float | None = None,
    g: torch.Tensor | None = None,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return tensors of the shapes of the outputs and of the states."""
    state, _, lengths, _ = _check(_SEQUENCES, query, key, value, initial_state, beta, scale, actual_seq_lengths, g)
    _check_sequences(key, value, state, lengths)
    return torch.empty_like(value), torch.empty_like(state)


def _check_tokens(operator: str, key: torch.Tensor, value: torch.Tensor, indices: torch.Tensor | None) -> torch.Tensor:
    """Return the indices of states, one a token."""
    if indices is None:
        require(False, operator, "ssm_state_indices must be given")
        raise AssertionError
    dtype(operator, (torch.int32,), ssm_state_indices=indices)
    require(indices.shape == value.shape[:1], operator, "ssm_state_indices must have one index a token")
    heads = max(key.shape[1], value.shape[1])
    require(heads <= _MOST_HEADS, operator, f"at most {_MOST_HEADS} heads, got {heads}")
    size = max(key.shape[2], value.shape[2])
    require(size <= _LARGEST_SIZE, operator, f"Dk and Dv must be at most {_LARGEST_SIZE}, got {size}")
    return indices


def _check_accepted(operator: str, accepted: torch.Tensor | None, lengths: torch.Tensor) -> None:
    if operator == _TOKENS:
        absent(operator, num_accepted_tokens=accepted)
    if accepted is not None:
        dtype(operator, (torch.int32,), num_accepted_tokens=accepted)
        require(accepted.shape == lengths.shape, operator, "num_accepted_tokens must have one value a sequence")


def _register_tokens(operator: str) -> Callable[..., torch.Tensor]:
    """Register torch_npu's operator for tokens, or vllm-ascend's own; return its reference."""

    @reference(operator)
    def recurrent_gated_delta_rule(
        query: torch.Tensor,
        key: torch.Tensor,
        value: torch.Tensor,
        state: torch.Tensor,
        *,
        beta: torch.Tensor | None = None,
        scale: float | None = None,
        actual_seq_lengths: torch.Tensor | None = None,
        ssm_state_indices: torch.Tensor | None = None,
        num_accepted_tokens: torch.Tensor | None = None,
        g: torch.Tensor | None = None,
        gk: torch.Tensor | None = None,
    ) -> torch.Tensor:
        absent(operator, gk=gk)
        state, beta, lengths, scale = _check(operator, query, key, value, state, beta, scale, actual_seq_lengths, g)
        _check_accepted(operator, num_accepted_tokens, lengths)
        indices, counts = _check_tokens(operator, key, value, ssm_state_indices).tolist(), lengths.tolist()
        used = sum(counts)
        whole = used <= len(value) if operator == _OWN else used == len(value)
        require(whole, operator, "actual_seq_lengths must sum up to the tokens")
        require(max(counts, default=0) <= _LONGEST, operator, f"sequences have at most {_LONGEST} tokens")
        inside = all(0 <= index < len(state) for index in indices[:used])
        require(inside, operator, f"ssm_state_indices must lie in [0, {len(state) - 1}]")
        accepted = [1] * len(counts) if num_accepted_tokens is None else num_accepted_tokens.tolist()
        parts = _wide(query, key, value, beta, g)
        output, token = torch.zeros_like(value), 0
        for count, kept in zip(counts, accepted, strict=True):
            require(1 <= kept <= max(count, 1), operator, "num_accepted_tokens must lie within the sequence")
            present = state[indices[token + kept - 1]].float() if count else state.new_empty(0)
            for _ in range(count):
                one, present = _step(present, *(part[token] for part in parts))
                output[token] = scale * one
                state[indices[token]] = present.to(state.dtype)
                token += 1
        return output

    @fake(operator)
    def recurrent_gated_delta_rule_fake(
        query: torch.Tensor,
        key: torch.Tensor,
        value: torch.Tensor,
        state: torch.Tensor,
        *,
        beta: torch.Tensor | None = None,
        scale: float | None = None,
        actual_seq_lengths: torch.Tensor | None = None,
        ssm_state_indices: torch.Tensor | None = None,
        num_accepted_tokens: torch.Tensor | None = None,
        g: torch.Tensor | None = None,
        gk: torch.Tensor | None = None,
    ) -> torch.Tensor:
        absent(operator, gk=gk)
        _, _, lengths, _ = _check(operator, query, key, value, state, beta, scale, actual_seq_lengths, g)
        _check_accepted(operator, num_accepted_tokens, lengths)
        _check_tokens(operator, key, value, ssm_state_indices)
        return torch.empty_like(value)

    return recurrent_gated_delta_rule


_register_tokens(_TOKENS)
#: The reference of vllm-ascend's own operator.
own_delta_rule = _register_tokens(_OWN)
