"""Bringing tokens into the order of experts and back: what ``torch_npu/_op_plugin_docs.py`` says of the operators.

``npu_moe_init_routing_v2`` is documented in older releases alone; held to are those and the meta function of torch_npu
(``torch_npu/op_plugin/meta/_meta_registrations.py``). ``npu_moe_token_unpermute`` is documented twice; held to is the
later entry, which is the one that torch shows.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import torch

from torch_npu_sim.constraints import FLOAT, absent, dtype, rank, require, same_dtype, tolerated, within
from torch_npu_sim.operators import fake, reference
from torch_npu_sim.quantised_values import rounded, with_row_scales

_ROUTE = "npu_moe_init_routing_v2"
_PERMUTE = "npu_moe_token_permute"
_UNPERMUTE = "npu_moe_token_unpermute"
_FINALIZE = "npu_moe_finalize_routing"

_MOST_ROUTED = 10240
_MOST_CHOICES = 512
_MOST_INDICES = 16777215
_NONE, _STATIC, _DYNAMIC = -1, 0, 1
_ENDS, _COUNTS, _PAIRS = 0, 1, 2

Routed = tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]


@dataclass(frozen=True)
class _Routing:
    """How tokens are routed: experts from the first active one to the one after the last, and in which form."""

    first: int
    last: int
    every: int
    rows: int
    counted: int
    quantised: int


def _check_routing(
    x: torch.Tensor,
    expert_idx: torch.Tensor,
    scale: torch.Tensor | None,
    offset: torch.Tensor | None,
    active_num: int,
    expert_num: int,
    drop_pad_mode: int,
    expert_tokens_num_type: int,
    expert_tokens_num_flag: bool,
    quant_mode: int,
    active_expert_range: Sequence[int],
) -> _Routing:
    dtype(_ROUTE, (*FLOAT, torch.int8), x=x)
    dtype(_ROUTE, (torch.int32,), expert_idx=expert_idx)
    dtype(_ROUTE, (torch.float32,), scale=scale, offset=offset)
    rank(_ROUTE, range(2, 3), x=x, expert_idx=expert_idx)
    require(x.shape[0] == expert_idx.shape[0], _ROUTE, "x and expert_idx must have as many rows")
    require(active_num >= -1, _ROUTE, f"active_num must be at least -1, got {active_num}")
    require(0 < expert_num <= _MOST_ROUTED, _ROUTE, f"expert_num must lie in [1, {_MOST_ROUTED}], got {expert_num}")
    require(drop_pad_mode == 0, _ROUTE, "drop_pad_mode must be 0")
    counted = expert_tokens_num_type in (_ENDS, _COUNTS, _PAIRS)
    require(counted, _ROUTE, f"expert_tokens_num_type must be 0, 1 or 2, got {expert_tokens_num_type}")
    require(expert_tokens_num_flag, _ROUTE, "expert_tokens_num_flag must be True")
    if quant_mode not in (_NONE, _STATIC, _DYNAMIC):
        raise NotImplementedError(f"the reference implementation of {_ROUTE} does not support quant_mode {quant_mode}")
    require(x.dtype != torch.int8 or quant_mode == _NONE, _ROUTE, "an int8 x is not quantised again")
    first, last = active_expert_range or (0, expert_num)
    require(0 <= first < last <= expert_num, _ROUTE, "active_expert_range must lie within the experts")
    if quant_mode == _STATIC:
        single = scale is not None and scale.numel() == 1
        require(single, _ROUTE, "quant_mode 0 demands one scale")
    elif scale is not None:
        shapes = [(x.shape[0],)] if quant_mode == _NONE else [(1, x.shape[1]), (last - first, x.shape[1])]
        require(any(tuple(scale.shape) == shape for shape in shapes), _ROUTE, f"scale must be one of {shapes}")
    every = x.shape[0] * expert_idx.shape[1]
    rows = every if active_num <= 0 or active_num > every else active_num
    return _Routing(first, last, every, rows, expert_tokens_num_type, quant_mode)


def _sorted(experts: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return which choice stands at each place when choices are sorted by expert, and the place of each choice."""
    order = experts.argsort(stable=True)
    return order, order.argsort()


def _counted(routing: _Routing, experts: torch.Tensor) -> torch.Tensor:
    """Return how many tokens the active experts get, in the form that was asked for."""
    counts = torch.bincount(experts - routing.first, minlength=routing.last - routing.first)
    if routing.counted == _COUNTS:
        return counts
    if routing.counted == _ENDS:
        return counts.cumsum(0)
    used = counts.nonzero().flatten()
    pairs = counts.new_zeros(len(counts), 2)
    pairs[: len(used)] = torch.stack((used + routing.first, counts[used]), 1)
    return pairs


@reference(_ROUTE)
def npu_moe_init_routing_v2(
    x: torch.Tensor,
    expert_idx: torch.Tensor,
    *,
    scale: torch.Tensor | None = None,
    offset: torch.Tensor | None = None,
    active_num: int = -1,
    expert_capacity: int = -1,
    expert_num: int = -1,
    drop_pad_mode: int = 0,
    expert_tokens_num_type: int = 0,
    expert_tokens_num_flag: bool = False,
    quant_mode: int = -1,
    active_expert_range: Sequence[int] = (),
    row_idx_type: int = 0,
    x_dtype: int | None = None,
) -> Routed:
    """Return tokens sorted by expert, where each (token, choice) went or came from, tokens an expert, and scales."""
    absent(_ROUTE, x_dtype=x_dtype)
    routing = _check_routing(
        *(x, expert_idx, scale, offset, active_num, expert_num, drop_pad_mode, expert_tokens_num_type),
        *(expert_tokens_num_flag, quant_mode, active_expert_range),
    )
    experts = expert_idx.flatten().long()
    within(_ROUTE, 0, expert_num - 1, expert_idx=experts)
    active = (experts >= routing.first) & (experts < routing.last)
    order, places = _sorted(torch.where(active, experts, expert_num))
    came_from = torch.where(torch.arange(len(order)) < active.sum(), order, -1)
    rows = torch.where(active, places, -1) if row_idx_type == 0 else came_from
    tokens = (order // expert_idx.shape[1])[: routing.rows]
    values, scales = _quantised(routing, x[tokens], tokens, experts[order][: routing.rows], scale, offset)
    return values, rows.int(), _counted(routing, experts[active]), scales


def _quantised(
    routing: _Routing,
    rows: torch.Tensor,
    tokens: torch.Tensor,
    experts: torch.Tensor,
    scale: torch.Tensor | None,
    offset: torch.Tensor | None,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the sorted rows as they are asked for, and a scale for each."""
    if routing.quantised == _STATIC:
        assert scale is not None
        wide = rows.float() * scale + (0.0 if offset is None else offset)
        return rounded(wide, torch.int8), rows.new_zeros(len(rows), dtype=torch.float32)
    if routing.quantised == _DYNAMIC:
        wide = rows.float()
        if scale is not None:
            own = (experts - routing.first).clamp(0, routing.last - routing.first - 1)
            wide = wide * scale[own if len(scale) > 1 else torch.zeros_like(own)]
        return with_row_scales(wide, torch.int8)
    # Without a scale the last output has a shape, and values that are not defined.
    return rows, rows.new_zeros(len(rows), dtype=torch.float32) if scale is None else scale[tokens]


@fake(_ROUTE)
def npu_moe_init_routing_v2_fake(
    x: torch.Tensor,
    expert_idx: torch.Tensor,
    *,
    scale: torch.Tensor | None = None,
    offset: torch.Tensor | None = None,
    active_num: int = -1,
    expert_capacity: int = -1,
    expert_num: int = -1,
    drop_pad_mode: int = 0,
    expert_tokens_num_type: int = 0,
    expert_tokens_num_flag: bool = False,
    quant_mode: int = -1,
    active_expert_range: Sequence[int] = (),
    row_idx_type: int = 0,
    x_dtype: int | None = None,
) -> Routed:
    """Return a row for each (token, choice) and a count for each active expert."""
    absent(_ROUTE, x_dtype=x_dtype)
    routing = _check_routing(
        *(x, expert_idx, scale, offset, active_num, expert_num, drop_pad_mode, expert_tokens_num_type),
        *(expert_tokens_num_flag, quant_mode, active_expert_range),
    )
    experts = routing.last - routing.first
    return (
        x.new_empty((routing.rows, x.shape[1]), dtype=x.dtype if quant_mode == _NONE else torch.int8),
        x.new_empty(routing.every, dtype=torch.int32),
        x.new_empty((experts, 2) if routing.counted == _PAIRS else experts, dtype=torch.int64),
        x.new_empty(routing.rows, dtype=torch.float32),
    )


def _check_permute(tokens: torch.Tensor, indices: torch.Tensor, num_out_tokens: int | None, padded_mode: bool) -> int:
    """Return how many rows come out."""
    dtype(_PERMUTE, FLOAT, tokens=tokens)
    dtype(_PERMUTE, (torch.int32, torch.int64), indices=indices)
    rank(_PERMUTE, range(2, 3), tokens=tokens)
    rank(_PERMUTE, range(1, 3), indices=indices)
    require(not padded_mode, _PERMUTE, "padded_mode must be False")
    require(tokens.shape[0] == indices.shape[0], _PERMUTE, "tokens and indices must have as many rows")
    require(indices.numel() < _MOST_INDICES, _PERMUTE, f"there must be fewer than {_MOST_INDICES} indices")
    choices = indices.numel() // max(indices.shape[0], 1)
    require(choices <= _MOST_CHOICES, _PERMUTE, f"a token has at most {_MOST_CHOICES} choices, got {choices}")
    wanted = num_out_tokens or 0
    return min(wanted, indices.numel()) if wanted > 0 else indices.numel() + wanted


@reference(_PERMUTE)
def npu_moe_token_permute(
    tokens: torch.Tensor, indices: torch.Tensor, num_out_tokens: int | None = None, padded_mode: bool = False
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the tokens of all choices, sorted by expert, and where each (token, choice) went."""
    rows = _check_permute(tokens, indices, num_out_tokens, padded_mode)
    experts = indices.flatten()
    require(bool(((experts >= 0) & (experts < _MOST_INDICES)).all()), _PERMUTE, "indices must not be negative")
    order, places = _sorted(experts)
    choices = experts.numel() // max(len(tokens), 1)
    return tokens[order[:rows] // max(choices, 1)], places.int()


@fake(_PERMUTE)
def npu_moe_token_permute_fake(
    tokens: torch.Tensor, indices: torch.Tensor, num_out_tokens: int | None = None, padded_mode: bool = False
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return a row and a place for each choice."""
    rows = _check_permute(tokens, indices, num_out_tokens, padded_mode)
    return tokens.new_empty(rows, tokens.shape[1]), tokens.new_empty(indices.numel(), dtype=torch.int32)


def _check_unpermute(
    permuted_tokens: torch.Tensor,
    sorted_indices: torch.Tensor,
    probs: torch.Tensor | None,
    padded_mode: bool,
    restore_shape: Sequence[int] | None,
) -> int:
    """Return how many choices a token has."""
    require(not padded_mode, _UNPERMUTE, "padded_mode must be False")
    require(restore_shape is None, _UNPERMUTE, "restore_shape must be None")
    dtype(_UNPERMUTE, FLOAT, permuted_tokens=permuted_tokens, probs=probs)
    dtype(_UNPERMUTE, (torch.int32,), sorted_indices=sorted_indices)
    rank(_UNPERMUTE, range(2, 3), permuted_tokens=permuted_tokens, probs=probs)
    rank(_UNPERMUTE, range(1, 2), sorted_indices=sorted_indices)
    rows = permuted_tokens.shape[0]
    require(sorted_indices.shape[0] == rows, _UNPERMUTE, "sorted_indices must have one value a row")
    if probs is None:
        return 1
    require(probs.shape[0] * probs.shape[1] == rows, _UNPERMUTE, "probs must have one value a row")
    choices = probs.shape[1]
    require(choices <= _MOST_CHOICES, _UNPERMUTE, f"a token has at most {_MOST_CHOICES} choices, got {choices}")
    return choices


@reference(_UNPERMUTE)
def npu_moe_token_unpermute(
    permuted_tokens: torch.Tensor,
    sorted_indices: torch.Tensor,
    probs: torch.Tensor | None = None,
    padded_mode: bool = False,
    restore_shape: Sequence[int] | None = None,
) -> torch.Tensor:
    """Return each token's choices in their places, weighted and added."""
    _check_unpermute(permuted_tokens, sorted_indices, probs, padded_mode, restore_shape)
    places = sorted_indices.long()
    within(_UNPERMUTE, 0, len(permuted_tokens) - 1, sorted_indices=places)
    single = places.unique().numel() == places.numel() or tolerated(_UNPERMUTE, "a repeated index")
    require(single, _UNPERMUTE, "sorted_indices must not repeat")
    tokens = permuted_tokens[places]
    if probs is None:
        return tokens
    weighted = tokens.view(*probs.shape, -1).float() * probs.float().unsqueeze(-1)
    return weighted.sum(1).to(permuted_tokens.dtype)


@fake(_UNPERMUTE)
def npu_moe_token_unpermute_fake(
    permuted_tokens: torch.Tensor,
    sorted_indices: torch.Tensor,
    probs: torch.Tensor | None = None,
    padded_mode: bool = False,
    restore_shape: Sequence[int] | None = None,
) -> torch.Tensor:
    """Return a row for each token."""
    choices = _check_unpermute(permuted_tokens, sorted_indices, probs, padded_mode, restore_shape)
    return permuted_tokens.new_empty(sorted_indices.shape[0] // choices, permuted_tokens.shape[1])


@reference(_FINALIZE)
def npu_moe_finalize_routing(
    expanded_permuted_rows: torch.Tensor,
    skip1: torch.Tensor | None,
    skip2: torch.Tensor | None,
    bias: torch.Tensor | None,
    scales: torch.Tensor | None,
    expanded_src_to_dst_row: torch.Tensor,
    export_for_source_row: torch.Tensor | None,
    drop_pad_mode: int | None = 0,
    k: int | None = 1,
) -> torch.Tensor:
    """Return each token's choices, biased, weighted and added to both residuals."""
    choices = _check_finalize(
        *(expanded_permuted_rows, skip1, skip2, bias, scales, expanded_src_to_dst_row, export_for_source_row),
        *(drop_pad_mode, k),
    )
    places = expanded_src_to_dst_row.long()
    within(_FINALIZE, 0, len(expanded_permuted_rows) - 1, expanded_src_to_dst_row=places)
    # All first choices come first.
    rows = expanded_permuted_rows[places].view(choices, -1, expanded_permuted_rows.shape[1]).transpose(0, 1).float()
    if bias is not None and export_for_source_row is not None:
        rows = rows + bias[export_for_source_row.long()].float()
    total = (rows if scales is None else rows * scales.float()[..., None]).sum(1)
    for residual in (skip1, skip2):
        total = total if residual is None else total + residual.float()
    return total.to(expanded_permuted_rows.dtype)


def _check_finalize(
    rows: torch.Tensor,
    skip1: torch.Tensor | None,
    skip2: torch.Tensor | None,
    bias: torch.Tensor | None,
    scales: torch.Tensor | None,
    places: torch.Tensor,
    experts: torch.Tensor | None,
    drop_pad_mode: int | None,
    k: int | None,
) -> int:
    """Return how many choices a token has."""
    require(drop_pad_mode == 0, _FINALIZE, f"drop_pad_mode must be 0, got {drop_pad_mode}")
    tensors = {"expanded_permuted_rows": rows, "skip1": skip1, "skip2": skip2, "bias": bias, "scales": scales}
    dtype(_FINALIZE, FLOAT, **tensors)
    same_dtype(_FINALIZE, **tensors)
    dtype(_FINALIZE, (torch.int32,), expanded_src_to_dst_row=places, export_for_source_row=experts)
    rank(_FINALIZE, range(2, 3), **tensors, export_for_source_row=experts)
    require(skip2 is not None or skip1 is None, _FINALIZE, "skip1 goes with skip2")
    require(bias is None or experts is not None, _FINALIZE, "bias goes with export_for_source_row")
    choices = (k or 1) if scales is None else scales.shape[1]
    whole = places.shape[0] == rows.shape[0] and rows.shape[0] % choices == 0
    require(whole, _FINALIZE, "expanded_src_to_dst_row must have a value for each choice of each token")
    for name, residual in (("skip1", skip1), ("skip2", skip2)):
        fits = residual is None or residual.shape == (rows.shape[0] // choices, rows.shape[1])
        require(fits, _FINALIZE, f"{name} must have the shape of the result")
    return choices


@fake(_FINALIZE)
def npu_moe_finalize_routing_fake(
    expanded_permuted_rows: torch.Tensor,
    skip1: torch.Tensor | None,
    skip2: torch.Tensor | None,
    bias: torch.Tensor | None,
    scales: torch.Tensor | None,
    expanded_src_to_dst_row: torch.Tensor,
    export_for_source_row: torch.Tensor | None,
    drop_pad_mode: int | None = 0,
    k: int | None = 1,
) -> torch.Tensor:
    """Return a row for each token."""
    choices = _check_finalize(
        *(expanded_permuted_rows, skip1, skip2, bias, scales, expanded_src_to_dst_row, export_for_source_row),
        *(drop_pad_mode, k),
    )
    rows = expanded_permuted_rows.shape[0] // choices
    return expanded_permuted_rows.new_empty(rows, expanded_permuted_rows.shape[1])
