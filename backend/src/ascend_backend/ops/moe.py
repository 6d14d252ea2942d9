"""Mixture of experts."""

import torch
import torch_npu
from torch.nn.functional import pad

from ascend_backend.ops import activation

_SOFTMAX = 0
_SIGMOID = 1
_GROUP_SCORE_MAXIMUM = 0
_GROUP_SCORE_TOP2_SUM = 1
_COUNTS = 1
_NOT_QUANTISED = -1
#: Rows that an expert takes for nothing rather than that the host waits.
_FEW_ROWS = 4096


def gate(
    logits: torch.Tensor,
    top_k: int,
    *,
    sigmoid: bool,
    renormalise: bool,
    bias: torch.Tensor | None,
    groups: int,
    top_groups: int,
    scaling: float,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the weights (float32) and the experts (int32) of each token, [tokens, top_k].

    The operator normalises the chosen weights after a sigmoid and never after a softmax. With a bias, groups
    are ranked by the sum of their two best experts, as DeepSeek-V3 does; without, by the best.
    """
    if sigmoid and not renormalise:
        raise NotImplementedError("sigmoid routing without renormalisation is not supported on NPU")
    weights, experts, _ = torch_npu.npu_moe_gating_top_k(
        logits.float(),
        top_k,
        bias=None if bias is None else bias.float(),
        k_group=top_groups,
        group_count=groups,
        group_select_mode=_GROUP_SCORE_MAXIMUM if bias is None else _GROUP_SCORE_TOP2_SUM,
        norm_type=_SIGMOID if sigmoid else _SOFTMAX,
        routed_scaling_factor=scaling,
    )
    if renormalise and not sigmoid:
        weights = weights / weights.sum(-1, keepdim=True) * scaling
    return weights, experts


def swiglu_experts(
    x: torch.Tensor,
    weights: torch.Tensor,
    experts: torch.Tensor,
    gate_up: torch.Tensor,
    down: torch.Tensor,
    local: torch.Tensor | None = None,
    scales: tuple[torch.Tensor, torch.Tensor] | None = None,
) -> torch.Tensor:
    """Return the weighted sum of the experts' outputs, [tokens, hidden].

    ``gate_up`` is [experts, 2 * intermediate, hidden] and ``down`` [experts, hidden, intermediate], as
    checkpoints have them; the operator takes them transposed. Where other ranks have some of the experts,
    ``local`` maps each to its place among those here, or to -1, and the sum is over those here alone.
    ``scales`` are those of the rows of both weights where these are int8.
    """
    count = routed = gate_up.shape[0]
    if local is not None:
        # Rows of absent experts are sorted behind all others, as those of one expert more.
        here = local[experts.long()]
        experts, routed = torch.where(here < 0, count, here).to(torch.int32), count + 1
    expanded, rows, tokens, _ = torch_npu.npu_moe_init_routing_v2(
        x,
        experts,
        active_num=experts.numel(),
        expert_num=routed,
        expert_tokens_num_type=_COUNTS,
        expert_tokens_num_flag=True,
        # The default was static quantisation before torch_npu 2.10.
        quant_mode=_NOT_QUANTISED,
        active_expert_range=[0, routed],
    )
    wanted = len(expanded)
    if local is not None:
        used = tokens[:count].sum()
        expanded, tokens = _grouped_rows(expanded, tokens[:count], used)
    of_gate_up, of_down = scales or (None, None)
    hidden = activation.swiglu(_grouped_matmul(expanded, gate_up.transpose(1, 2), tokens, of_gate_up))
    output = _grouped_matmul(hidden, down.transpose(1, 2), tokens, of_down)
    if local is not None:
        behind = torch.arange(len(output), device=output.device) >= used
        output = pad(output.masked_fill(behind.unsqueeze(-1), 0), (0, 0, 0, wanted - len(output)))
    return torch_npu.npu_moe_token_unpermute(output, rows, weights.to(x.dtype))


def _grouped_rows(rows: torch.Tensor, tokens: torch.Tensor, used: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return rows and how many of them each expert takes: all, as the operator documents.

    Rows behind the ``used`` ones are those of absent experts. The last expert takes them for nothing, unless there
    are so many that it is worth to wait for their number and leave them out.
    """
    if len(rows) > _FEW_ROWS and not torch.npu.is_current_stream_capturing():
        rows = rows[: max(1, int(used))]
    return rows, torch.cat((tokens[:-1], tokens[-1:] + (len(rows) - used)))


def _grouped_matmul(
    x: torch.Tensor, weight: torch.Tensor, tokens: torch.Tensor, scale: torch.Tensor | None
) -> torch.Tensor:
    """Return ``x`` times the weight of its group; the rows of group i follow those of group i - 1."""
    scales, of_tokens, output_dtype = None, None, None
    if scale is not None:
        scales, output_dtype = [scale], x.dtype
        x, of_token = torch_npu.npu_dynamic_quant(x)
        of_tokens = [of_token]
    # Of the overloads, the one whose groups are a tensor: torch would print tensors to say why the other does not fit.
    (output,) = torch_npu.npu_grouped_matmul.default(
        [x],
        [weight],
        scale=scales,
        per_token_scale=of_tokens,
        group_list=tokens,
        split_item=2,
        group_type=0,
        group_list_type=_COUNTS,
        output_dtype=output_dtype,
    )
    return output
