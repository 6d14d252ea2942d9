"""Mixture of experts."""

from collections.abc import Sequence

import torch

from ascend_backend.simulation.constraints import FLOAT, HALF, absent, dtype, rank, require, same_dtype
from ascend_backend.simulation.operators import reference


@reference("npu_moe_gating_top_k")
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
    operator = "npu_moe_gating_top_k"
    absent(operator, input_ids=input_ids, tid2eid=tid2eid)
    dtype(operator, FLOAT, x=x, bias=bias)
    same_dtype(operator, x=x, bias=bias)
    rank(operator, range(2, 3), x=x)
    experts = x.shape[1]
    require(experts <= 2048, operator, "at most 2048 experts are supported")
    require(renorm == 0, operator, f"renorm must be 0, got {renorm}")
    require(norm_type in (0, 1), operator, f"norm_type must be 0 or 1, got {norm_type}")
    require(1 <= k_group <= group_count, operator, "k_group must lie between 1 and group_count")
    require(experts % group_count == 0, operator, "group_count must divide the number of experts")
    size = experts // group_count
    require(group_count == 1 or size > 2, operator, "a group must have more than 2 experts")
    require(1 <= k <= size * k_group, operator, "k must not exceed the experts of the chosen groups")
    require(bias is None or bias.shape == (experts,), operator, "bias must have one value an expert")
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


@reference("npu_moe_init_routing_v2")
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
    operator = "npu_moe_init_routing_v2"
    absent(operator, scale=scale, offset=offset, x_dtype=x_dtype)
    dtype(operator, FLOAT, x=x)
    dtype(operator, (torch.int32,), expert_idx=expert_idx)
    rank(operator, range(2, 3), x=x, expert_idx=expert_idx)
    require(expert_num > 0, operator, "expert_num must be positive")
    require(drop_pad_mode == 0, operator, "drop_pad_mode must be 0")
    require(expert_tokens_num_flag, operator, "expert_tokens_num_flag must be True")
    if expert_tokens_num_type != 1 or quant_mode != -1 or row_idx_type != 0:
        raise NotImplementedError(
            f"the reference implementation of {operator} supports counts, no quantisation and gather indices"
        )
    first, last = active_expert_range or (0, expert_num)
    require(0 <= first <= last <= expert_num, operator, "active_expert_range must lie within the experts")
    experts = expert_idx.flatten().long()
    inside = bool(((experts >= 0) & (experts < expert_num)).all())
    require(inside, operator, f"expert_idx must lie in [0, {expert_num - 1}]")
    active = (experts >= first) & (experts < last)
    order = torch.where(active, experts, expert_num).argsort(stable=True)
    places = torch.empty_like(order)
    places[order] = torch.arange(len(order))
    rows = torch.where(active, places, -1)
    counts = torch.bincount(experts[active] - first, minlength=last - first)
    return x[order // expert_idx.shape[1]], rows.int(), counts, x.new_zeros(1, dtype=torch.float32)


@reference("npu_grouped_matmul")
def npu_grouped_matmul(
    x: Sequence[torch.Tensor],
    weight: Sequence[torch.Tensor],
    *,
    group_list: torch.Tensor | None = None,
    split_item: int | None = 0,
    group_type: int | None = None,
    group_list_type: int | None = 0,
    act_type: int | None = 0,
    **others: object,
) -> list[torch.Tensor]:
    """Return the product of each group of rows with its weight."""
    operator = "npu_grouped_matmul"
    absent(operator, **others)
    if split_item not in (2, 3) or group_type != 0 or act_type != 0 or len(x) != 1 or len(weight) != 1:
        raise NotImplementedError(
            f"the reference implementation of {operator} supports groups of rows of one tensor alone"
        )
    rows, matrices = x[0], weight[0]
    dtype(operator, FLOAT, x=rows, weight=matrices)
    same_dtype(operator, x=rows, weight=matrices)
    rank(operator, range(2, 3), x=rows)
    rank(operator, range(3, 4), weight=matrices)
    plain = matrices.is_contiguous() or matrices.transpose(1, 2).is_contiguous()
    require(plain, operator, "weight must be contiguous or the transpose of a contiguous tensor")
    require(rows.shape[1] == matrices.shape[1], operator, "x and weight must agree in K")
    require(max(rows.shape[1], matrices.shape[2]) < 65536, operator, "inner dimensions must be below 65536")
    if group_list is None:
        require(False, operator, "group_type 0 demands a group_list")
        raise AssertionError
    dtype(operator, (torch.int64,), group_list=group_list)
    require(group_list.shape == matrices.shape[:1], operator, "group_list must have one value a group")
    require(group_list_type == 0 or len(group_list) > 1, operator, "a list of counts must have two groups or more")
    ends = (group_list.cumsum(0) if group_list_type == 1 else group_list).tolist()
    require(ends == sorted(ends) and ends[-1] <= len(rows), operator, "groups must lie within x in order")
    output = rows.new_zeros(len(rows), matrices.shape[2])
    for group, (start, end) in enumerate(zip([0, *ends[:-1]], ends, strict=True)):
        output[start:end] = rows[start:end] @ matrices[group]
    return [output]


@reference("npu_moe_token_unpermute")
def npu_moe_token_unpermute(
    permuted_tokens: torch.Tensor,
    sorted_indices: torch.Tensor,
    probs: torch.Tensor | None = None,
    padded_mode: bool = False,
    restore_shape: Sequence[int] | None = None,
) -> torch.Tensor:
    """Return each token's choices in their places, weighted and added."""
    operator = "npu_moe_token_unpermute"
    require(not padded_mode, operator, "padded_mode is not supported")
    dtype(operator, HALF, permuted_tokens=permuted_tokens, probs=probs)
    dtype(operator, (torch.int32, torch.int64), sorted_indices=sorted_indices)
    rank(operator, range(2, 3), permuted_tokens=permuted_tokens, probs=probs)
    require(sorted_indices.shape == permuted_tokens.shape[:1], operator, "sorted_indices must have one value a row")
    places = sorted_indices.long()
    require(bool((places >= 0).all()), operator, "sorted_indices must not be negative")
    tokens = permuted_tokens[places]
    if probs is None:
        return tokens
    require(probs.numel() == len(tokens), operator, "probs must have one value a row")
    weighted = tokens.view(*probs.shape, -1).float() * probs.float().unsqueeze(-1)
    return weighted.sum(1).to(permuted_tokens.dtype)
