"""The functions of ``fla_npu.ops.ascendc`` that vllm-ascend calls, on the memory of tensors of npu.

The package is compiled for the device and in no index. Arguments and meaning are those of the calls in
``vllm_ascend/ops/gdn.py`` and ``vllm_ascend/device/device_op.py`` of 0.30.0rc2, and of vLLM's own functions of these
names. Block ``null_block_id`` of a cache stands for padding.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import torch

from torch_npu_sim.constraints import absent, require
from torch_npu_sim.operators import over_host_memory
from torch_npu_sim.references.causal_conv1d import npu_causal_conv1d_custom
from torch_npu_sim.references.gated_delta_rule import own_delta_rule, sequences_of_delta_rule

_PAD = -1
_ACTIVATIONS = {None: 0, "silu": 1, "swish": 1}


def _blocks(indices: torch.Tensor, null_block_id: int | None) -> torch.Tensor:
    return indices if null_block_id is None else indices.masked_fill(indices == null_block_id, _PAD)


def causal_conv1d_fn(
    x: torch.Tensor,
    weight: torch.Tensor,
    bias: torch.Tensor | None = None,
    *,
    conv_states: torch.Tensor,
    query_start_loc: torch.Tensor,
    cache_indices: torch.Tensor,
    has_initial_state: torch.Tensor | None = None,
    activation: str | None = "silu",
    pad_slot_id: int = _PAD,
    null_block_id: int | None = None,
) -> torch.Tensor:
    """Return the convolution of packed prompts, and write what their next tokens need."""
    require(pad_slot_id == _PAD, "causal_conv1d_fn", f"pad_slot_id must be {_PAD}, got {pad_slot_id}")
    return npu_causal_conv1d_custom(
        *(torch.zeros_like(x), x, weight, conv_states, bias, query_start_loc, _blocks(cache_indices, null_block_id)),
        *(has_initial_state, None, _ACTIVATIONS[activation], _PAD, 0),
    )


def causal_conv1d_update(
    x: torch.Tensor,
    conv_state: torch.Tensor,
    weight: torch.Tensor,
    bias: torch.Tensor | None = None,
    activation: str | None = None,
    *,
    conv_state_indices: torch.Tensor,
    query_start_loc: torch.Tensor,
    num_accepted_tokens: torch.Tensor | None = None,
    max_query_len: int = -1,
    null_block_id: int | None = None,
    out: torch.Tensor | None = None,
) -> torch.Tensor:
    """Return the convolution of packed tokens that follow others, and write what the next ones need."""
    return npu_causal_conv1d_custom(
        *(torch.zeros_like(x) if out is None else out, x, weight, conv_state, bias, query_start_loc),
        *(_blocks(conv_state_indices, null_block_id), None, num_accepted_tokens, _ACTIVATIONS[activation], _PAD, 1),
    )


def recurrent_gated_delta_rule(
    query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, state: torch.Tensor, **keywords: Any
) -> torch.Tensor:
    """Return the outputs of packed tokens, and write the state after each where its index says."""
    return own_delta_rule(query, key, value, state, **keywords)


def chunk_gated_delta_rule_fwd(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    g: torch.Tensor,
    beta: torch.Tensor,
    *,
    initial_state: torch.Tensor,
    cu_seqlens: Sequence[int] | torch.Tensor,
    scale: float,
    layout: str = "BNSD",
    use_exp2: bool = False,
    use_qk_l2norm_in_kernel: bool = False,
    allow_neg_eigval: bool = False,
    state_v_first: bool = False,
    **others: Any,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the outputs of packed sequences ([1, tokens, Nv, Dv]) and their last states ([sequences, Nv, Dk, Dv])."""
    name = "chunk_gated_delta_rule_fwd"
    flags = {"use_exp2": use_exp2, "use_qk_l2norm_in_kernel": use_qk_l2norm_in_kernel}
    flags |= {"allow_neg_eigval": allow_neg_eigval, "state_v_first": state_v_first, "layout": layout != "BNSD"}
    absent(name, **{flag: value or None for flag, value in flags.items()})
    ends = cu_seqlens.tolist() if isinstance(cu_seqlens, torch.Tensor) else list(cu_seqlens)
    lengths = [end - start for start, end in pairwise(ends)]
    query, key, value = (part.squeeze(0).transpose(0, 1) for part in (q, k, v))
    require(sum(lengths) == len(value), name, "cu_seqlens must end with the tokens")
    states = initial_state.transpose(-1, -2)
    output, after = sequences_of_delta_rule(query, key, value, beta.squeeze(0), states, lengths, scale, g.squeeze(0))
    return output.unsqueeze(0), after.transpose(-1, -2).contiguous()


def computed() -> dict[str, Callable[..., Any]]:
    """Return the functions by their names in fla_npu, for tensors of npu."""
    functions = (causal_conv1d_fn, causal_conv1d_update, recurrent_gated_delta_rule, chunk_gated_delta_rule_fwd)
    return {
        f"fla_npu.ops.ascendc.{function.__name__}": over_host_memory(function.__name__, function)
        for function in functions
    }
