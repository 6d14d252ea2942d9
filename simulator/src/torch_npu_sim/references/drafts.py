"""Tokens for a draft model: ``npu_copy_and_expand_eagle_inputs`` of vllm-ascend's own extension.

Meaning and shapes are those of its kernel (``csrc/moe/copy_and_expand_eagle_inputs``) and of vLLM's
``copy_and_expand_eagle_inputs_kernel``, which it replaces.
"""

import torch

from torch_npu_sim.constraints import dtype, rank, require
from torch_npu_sim.operators import fake, reference

_OPERATOR = "_C_ascend::npu_copy_and_expand_eagle_inputs"

Results = tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]


def _made(
    tokens: torch.Tensor,
    positions: torch.Tensor,
    next_tokens: torch.Tensor,
    starts: torch.Tensor,
    ends: torch.Tensor,
    slots: int,
    total: int,
) -> Results:
    """Return the six results, zeroed; ConstraintError unless the arguments fit each other."""
    lists = {"target_token_ids": tokens, "target_positions": positions, "next_token_ids": next_tokens}
    dtype(_OPERATOR, (torch.int32,), **lists, query_start_loc=starts, query_end_loc=ends)
    rank(_OPERATOR, range(1, 2), **lists, query_start_loc=starts, query_end_loc=ends)
    require(tokens.shape == positions.shape, _OPERATOR, "there must be a position for each token")
    requests = starts.shape[0] - 1
    fits = next_tokens.shape[0] == ends.shape[0] == requests
    require(fits, _OPERATOR, "next_token_ids and query_end_loc must have one value a request")
    require(slots >= 1, _OPERATOR, f"num_padding_slots_per_request must be at least 1, got {slots}")
    return (
        tokens.new_zeros(total),
        tokens.new_zeros(total),
        tokens.new_zeros(total, dtype=torch.int8),
        tokens.new_zeros(total, dtype=torch.int8),
        tokens.new_zeros(requests * slots),
        tokens.new_zeros(tokens.shape[0]),
    )


@reference(_OPERATOR)
def npu_copy_and_expand_eagle_inputs(
    target_token_ids: torch.Tensor,
    target_positions: torch.Tensor,
    next_token_ids: torch.Tensor,
    query_start_loc: torch.Tensor,
    query_end_loc: torch.Tensor,
    padding_token_id: int,
    parallel_drafting_token_id: int,
    num_padding_slots_per_request: int,
    shift_input_ids: bool,
    total_draft_tokens: int,
) -> Results:
    """Return tokens, positions, which were rejected, which are masked, where new ones are, and where states went."""
    slots = num_padding_slots_per_request
    results = _made(
        *(target_token_ids, target_positions, next_token_ids, query_start_loc, query_end_loc, slots, total_draft_tokens)
    )
    ids, places, rejected, masked, new, states = results
    starts, ends = query_start_loc.tolist(), query_end_loc.tolist()
    shift = int(shift_input_ids)
    for request, (first, following, last) in enumerate(zip(starts, starts[1:], ends, strict=False)):
        kept = max(last - first + 1 - shift, 0)
        dropped = max(following - last - 1, 0)
        begin = first + request * (slots - shift)
        bonus, tail, stop = begin + kept, begin + kept + slots, begin + kept + slots + dropped
        require(stop <= total_draft_tokens, _OPERATOR, "total_draft_tokens is too small")
        ids[begin:bonus] = target_token_ids[first + shift : first + shift + kept]
        ids[bonus] = next_token_ids[request]
        ids[bonus + 1 : tail] = parallel_drafting_token_id
        ids[tail:stop] = padding_token_id
        places[begin:tail] = target_positions[first] + torch.arange(kept + slots, dtype=torch.int32)
        rejected[tail:stop] = 1
        masked[bonus + 1 : tail] = 1
        new[request * slots : (request + 1) * slots] = torch.arange(bonus, tail)
        if shift_input_ids:
            states[first:following] = begin + torch.arange(following - first, dtype=torch.int32)
    return results


@fake(_OPERATOR)
def npu_copy_and_expand_eagle_inputs_fake(
    target_token_ids: torch.Tensor,
    target_positions: torch.Tensor,
    next_token_ids: torch.Tensor,
    query_start_loc: torch.Tensor,
    query_end_loc: torch.Tensor,
    padding_token_id: int,
    parallel_drafting_token_id: int,
    num_padding_slots_per_request: int,
    shift_input_ids: bool,
    total_draft_tokens: int,
) -> Results:
    """Return tensors of the results' shapes."""
    return _made(
        *(target_token_ids, target_positions, next_token_ids, query_start_loc, query_end_loc),
        *(num_padding_slots_per_request, total_draft_tokens),
    )
