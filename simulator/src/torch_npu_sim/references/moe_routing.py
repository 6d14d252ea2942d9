"""Routing tokens to experts: what ``torch_npu/_op_plugin_docs.py`` says of the operators' constraints."""

from collections.abc import Sequence

import torch

from torch_npu_sim.constraints import FLOAT, absent, dtype, rank, require, same_dtype
from torch_npu_sim.operators import fake, reference

_GATE = "npu_moe_gating_top_k"
_ROUTE = "npu_moe_init_routing_v2"

_MOST_EXPERTS = 2048
_GROUP_ALIGNMENT = 32
_MOST_ROUTED = 10240


def _check_gate(
    x: torch.Tensor, k: int, bias: torch.Tensor | None, k_group: int, group_count: int, renorm: int, norm_type: int
) -> None:
    dtype(_GATE, FLOAT, x=x, bias=bias)
    same_dtype(_GATE, x=x, bias=bias)
    rank(_GATE, range(2, 3), x=x)
    rank(_GATE, range(1, 2), bias=bias)
    experts = x.shape[1]
    require(experts <= _MOST_EXPERTS, _GATE, f"at most {_MOST_EXPERTS} experts are supported, got {experts}")
    require(renorm == 0, _GATE, f"renorm must be 0, got {renorm}")
    require(norm_type in (0, 1), _GATE, f"norm_type must be 0 or 1, got {norm_type}")
    require(1 <= k_group <= group_count, _GATE, "k_group must lie between 1 and group_count")
    require(experts % group_count == 0, _GATE, "group_count must divide the number of experts")
    size = experts // group_count
    require(size > 2, _GATE, f"a group must have more than 2 experts, got {size}")
    padded = -(-size // _GROUP_ALIGNMENT) * _GROUP_ALIGNMENT * group_count
    require(
        padded <= _MOST_EXPERTS, _GATE, f"groups padded to {_GROUP_ALIGNMENT} have {padded} > {_MOST_EXPERTS} experts"
    )
    require(1 <= k <= size * k_group, _GATE, "k must not exceed the experts of the chosen groups")
    require(bias is None or bias.shape[0] == experts, _GATE, "bias must have one value an expert")


@reference(_GATE)
def npu_moe_gating_top_k(
    x: torch.Tensor,
    k: int,
    *,
    bias: torch.Tensor | None = None,
    input_ids: torch.Tensor | None = None,
    tid2eid: torch.Tensor | None = None,
    k_group: int = 1,
    group_count: int = 1,
    group_select_mode: int = 0,
    renorm: int = 0,
    norm_type: int = 0,
    out_flag: bool = False,
    routed_scaling_factor: float = 1.0,
    eps: float = 1e-20,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return the weights and the experts of each token, and the normalised scores."""
    absent(_GATE, input_ids=input_ids, tid2eid=tid2eid)
    _check_gate(x, k, bias, k_group, group_count, renorm, norm_type)
    size = x.shape[1] // group_count
    scores = x.float().sigmoid() if norm_type == 1 else x.float().softmax(-1)
    ranked = scores if bias is None else scores + bias.float()
    if group_count > 1:
        grouped = ranked.view(len(x), group_count, size)
        best = 2 if group_select_mode == 1 else 1
        chosen = grouped.topk(best, -1).values.sum(-1).topk(k_group, -1).indices
        open_groups = torch.zeros(len(x), group_count, dtype=torch.bool).scatter_(1, chosen, True)
        ranked = ranked.masked_fill(~open_groups.repeat_interleave(size, 1), float("-inf"))
    indices = ranked.topk(k, -1).indices
    weights = scores.gather(1, indices)
    if norm_type == 1:
        weights = weights / (weights.sum(-1, keepdim=True) + eps)
    return (weights * routed_scaling_factor).to(x.dtype), indices.int(), scores


@fake(_GATE)
def npu_moe_gating_top_k_fake(
    x: torch.Tensor,
    k: int,
    *,
    bias: torch.Tensor | None = None,
    input_ids: torch.Tensor | None = None,
    tid2eid: torch.Tensor | None = None,
    k_group: int = 1,
    group_count: int = 1,
    group_select_mode: int = 0,
    renorm: int = 0,
    norm_type: int = 0,
    out_flag: bool = False,
    routed_scaling_factor: float = 1.0,
    eps: float = 1e-20,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return ``k`` weights and experts a token, and a score for each expert."""
    absent(_GATE, input_ids=input_ids, tid2eid=tid2eid)
    _check_gate(x, k, bias, k_group, group_count, renorm, norm_type)
    chosen = (x.shape[0], k)
    return (
        x.new_empty(chosen),
        x.new_empty(chosen, dtype=torch.int32),
        x.new_empty(x.shape, dtype=torch.float32),
    )


def _check_routing(
    x: torch.Tensor,
    expert_idx: torch.Tensor,
    active_num: int,
    expert_num: int,
    drop_pad_mode: int,
    expert_tokens_num_type: int,
    expert_tokens_num_flag: bool,
    quant_mode: int,
    active_expert_range: Sequence[int],
    row_idx_type: int,
) -> tuple[int, int]:
    """Return the first active expert and the one after the last."""
    dtype(_ROUTE, (*FLOAT, torch.int8), x=x)
    dtype(_ROUTE, (torch.int32,), expert_idx=expert_idx)
    rank(_ROUTE, range(2, 3), x=x, expert_idx=expert_idx)
    require(x.shape[0] == expert_idx.shape[0], _ROUTE, "x and expert_idx must have as many rows")
    require(active_num >= -1, _ROUTE, f"active_num must be at least -1, got {active_num}")
    require(0 < expert_num <= _MOST_ROUTED, _ROUTE, f"expert_num must lie in [1, {_MOST_ROUTED}], got {expert_num}")
    require(drop_pad_mode == 0, _ROUTE, "drop_pad_mode must be 0")
    require(expert_tokens_num_type in (1, 2), _ROUTE, "expert_tokens_num_type must be 1 or 2")
    require(expert_tokens_num_flag, _ROUTE, "expert_tokens_num_flag must be True")
    require(quant_mode in (-1, 1), _ROUTE, "quant_mode must be -1 or 1")
    every = x.shape[0] * expert_idx.shape[1]
    if expert_tokens_num_type != 1 or quant_mode != -1 or row_idx_type != 0 or active_num not in (-1, 0, every):
        raise NotImplementedError(
            f"the reference implementation of {_ROUTE} supports counts of all tokens, no quantisation and gather indices"
        )
    first, last = active_expert_range or (0, expert_num)
    require(0 <= first < last <= expert_num, _ROUTE, "active_expert_range must lie within the experts")
    return first, last


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
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return tokens sorted by expert, where each (token, choice) went, tokens an expert, and no scale."""
    absent(_ROUTE, scale=scale, offset=offset, x_dtype=x_dtype)
    first, last = _check_routing(
        *(x, expert_idx, active_num, expert_num, drop_pad_mode, expert_tokens_num_type),
        *(expert_tokens_num_flag, quant_mode, active_expert_range, row_idx_type),
    )
    experts = expert_idx.flatten().long()
    inside = bool(((experts >= 0) & (experts < expert_num)).all())
    require(inside, _ROUTE, f"expert_idx must lie in [0, {expert_num - 1}]")
    active = (experts >= first) & (experts < last)
    order = torch.where(active, experts, expert_num).argsort(stable=True)
    places = torch.empty_like(order)
    places[order] = torch.arange(len(order))
    rows = torch.where(active, places, -1)
    counts = torch.bincount(experts[active] - first, minlength=last - first)
    # Without a scale the last output has a shape, and values that are not defined.
    return x[order // expert_idx.shape[1]], rows.int(), counts, x.new_zeros(len(rows), dtype=torch.float32)


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
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return a row for each (token, choice) and a count for each active expert."""
    absent(_ROUTE, scale=scale, offset=offset, x_dtype=x_dtype)
    first, last = _check_routing(
        *(x, expert_idx, active_num, expert_num, drop_pad_mode, expert_tokens_num_type),
        *(expert_tokens_num_flag, quant_mode, active_expert_range, row_idx_type),
    )
    rows = x.shape[0] * expert_idx.shape[1]
    return (
        x.new_empty(rows, x.shape[1]),
        x.new_empty(rows, dtype=torch.int32),
        x.new_empty(last - first, dtype=torch.int64),
        x.new_empty(rows, dtype=torch.float32),
    )
