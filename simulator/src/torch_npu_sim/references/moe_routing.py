"""Choosing experts for tokens: what ``torch_npu/_op_plugin_docs.py`` says of the operators' constraints.

vllm-ascend's own ``moe_gating_top_k`` is held to the same, and makes weights of softmax sum up to one if asked to.
"""

import torch

from torch_npu_sim.constraints import FLOAT, absent, dtype, rank, require, same_dtype
from torch_npu_sim.operators import fake, reference

_GATE = "npu_moe_gating_top_k"
_OWN_GATE = "_C_ascend::moe_gating_top_k"
_SOFTMAX = "npu_moe_gating_top_k_softmax"

_MOST_EXPERTS = 2048
_GROUP_ALIGNMENT = 32

Gated = tuple[torch.Tensor, torch.Tensor, torch.Tensor]


def _check_gate(
    operator: str, x: torch.Tensor, k: int, bias: torch.Tensor | None, k_group: int, group_count: int, norm_type: int
) -> None:
    dtype(operator, FLOAT, x=x, bias=bias)
    same_dtype(operator, x=x, bias=bias)
    rank(operator, range(2, 3), x=x)
    rank(operator, range(1, 2), bias=bias)
    experts = x.shape[1]
    require(experts <= _MOST_EXPERTS, operator, f"at most {_MOST_EXPERTS} experts are supported, got {experts}")
    require(norm_type in (0, 1), operator, f"norm_type must be 0 or 1, got {norm_type}")
    require(1 <= k_group <= group_count, operator, "k_group must lie between 1 and group_count")
    require(experts % group_count == 0, operator, "group_count must divide the number of experts")
    size = experts // group_count
    require(size > 2, operator, f"a group must have more than 2 experts, got {size}")
    padded = -(-size // _GROUP_ALIGNMENT) * _GROUP_ALIGNMENT * group_count
    require(
        padded <= _MOST_EXPERTS, operator, f"groups padded to {_GROUP_ALIGNMENT} have {padded} > {_MOST_EXPERTS} experts"
    )
    require(1 <= k <= size * k_group, operator, "k must not exceed the experts of the chosen groups")
    require(bias is None or bias.shape[0] == experts, operator, "bias must have one value an expert")


def _gated(
    x: torch.Tensor,
    k: int,
    bias: torch.Tensor | None,
    k_group: int,
    group_count: int,
    group_select_mode: int,
    renormalised: bool,
    scaling: float,
    eps: float,
    norm_type: int,
) -> Gated:
    """Return the weights and the experts of each token, and the normalised scores."""
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
    if renormalised:
        weights = weights / (weights.sum(-1, keepdim=True) + eps)
    return (weights * scaling).to(x.dtype), indices.int(), scores


def _gated_fake(x: torch.Tensor, k: int) -> Gated:
    chosen = (x.shape[0], k)
    return (
        x.new_empty(chosen),
        x.new_empty(chosen, dtype=torch.int32),
        x.new_empty(x.shape, dtype=torch.float32),
    )


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
) -> Gated:
    """Return the weights and the experts of each token, and the normalised scores."""
    absent(_GATE, input_ids=input_ids, tid2eid=tid2eid)
    require(renorm == 0, _GATE, f"renorm must be 0, got {renorm}")
    _check_gate(_GATE, x, k, bias, k_group, group_count, norm_type)
    return _gated(
        *(x, k, bias, k_group, group_count, group_select_mode, norm_type == 1, routed_scaling_factor, eps, norm_type)
    )


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
) -> Gated:
    """Return ``k`` weights and experts a token, and a score for each expert."""
    absent(_GATE, input_ids=input_ids, tid2eid=tid2eid)
    require(renorm == 0, _GATE, f"renorm must be 0, got {renorm}")
    _check_gate(_GATE, x, k, bias, k_group, group_count, norm_type)
    return _gated_fake(x, k)


@reference(_OWN_GATE)
def moe_gating_top_k(
    x: torch.Tensor,
    k: int,
    k_group: int,
    group_count: int,
    group_select_mode: int,
    renorm: int,
    norm_type: int,
    out_flag: bool,
    routed_scaling_factor: float,
    eps: float,
    bias_opt: torch.Tensor | None = None,
) -> Gated:
    """Return the weights and the experts of each token, and the normalised scores."""
    _check_gate(_OWN_GATE, x, k, bias_opt, k_group, group_count, norm_type)
    require(renorm in (0, 1), _OWN_GATE, f"renorm must be 0 or 1, got {renorm}")
    renormalised = norm_type == 1 or renorm == 1
    return _gated(
        *(x, k, bias_opt, k_group, group_count, group_select_mode, renormalised, routed_scaling_factor, eps, norm_type)
    )


@fake(_OWN_GATE)
def moe_gating_top_k_fake(
    x: torch.Tensor,
    k: int,
    k_group: int,
    group_count: int,
    group_select_mode: int,
    renorm: int,
    norm_type: int,
    out_flag: bool,
    routed_scaling_factor: float,
    eps: float,
    bias_opt: torch.Tensor | None = None,
) -> Gated:
    """Return ``k`` weights and experts a token, and a score for each expert."""
    _check_gate(_OWN_GATE, x, k, bias_opt, k_group, group_count, norm_type)
    return _gated_fake(x, k)


def _check_softmax(x: torch.Tensor, finished: torch.Tensor | None, k: int) -> None:
    dtype(_SOFTMAX, FLOAT, x=x)
    dtype(_SOFTMAX, (torch.bool,), finished=finished)
    rank(_SOFTMAX, range(2, 4), x=x)
    require(0 < k <= min(x.shape[-1], 1024), _SOFTMAX, f"k must lie in [1, {min(x.shape[-1], 1024)}], got {k}")
    require(finished is None or finished.shape == x.shape[:-1], _SOFTMAX, "finished must have one value a row of x")


@reference(_SOFTMAX)
def npu_moe_gating_top_k_softmax(x: torch.Tensor, finished: torch.Tensor | None = None, k: int = 1) -> Gated:
    """Return the weights and experts of each token, and where the choices stand if first choices come first.

    A finished row has an expert beyond all.
    """
    _check_softmax(x, finished, k)
    weights, experts = x.float().softmax(-1).topk(k, -1)
    if finished is not None:
        experts = experts.masked_fill(finished[..., None], x.shape[-1])
    count = experts.numel() // k
    places = torch.arange(count * k, dtype=torch.int32).view(k, count).T.reshape(experts.shape).contiguous()
    return weights.to(x.dtype), experts.int(), places


@fake(_SOFTMAX)
def npu_moe_gating_top_k_softmax_fake(x: torch.Tensor, finished: torch.Tensor | None = None, k: int = 1) -> Gated:
    """Return ``k`` weights, experts and places a token."""
    _check_softmax(x, finished, k)
    chosen = (*x.shape[:-1], k)
    return x.new_empty(chosen), x.new_empty(chosen, dtype=torch.int32), x.new_empty(chosen, dtype=torch.int32)
