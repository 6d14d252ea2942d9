"""Short causal convolutions over a cache of inputs: ``npu_causal_conv1d_custom`` of vllm-ascend's own extension.

Meaning and layouts are those of its caller (``vllm_ascend/ops/gdn.py`` of 0.28.0rc1) and of vLLM's ``causal_conv1d_fn``
and ``causal_conv1d_update``, which it replaces: ``run_mode`` 0 is for prompts, 1 for tokens that follow. A cache is
[blocks, tokens, channels], and holds the inputs before the next token in its first tokens; where drafts are checked,
those after the accepted ones.
"""

import itertools

import torch

from torch_npu_sim.constraints import FLOAT, dtype, rank, require, same_dtype
from torch_npu_sim.operators import fake, reference

_OPERATOR = "_C_ascend::npu_causal_conv1d_custom"
_PROMPTS, _TOKENS = 0, 1


def _check(
    output: torch.Tensor,
    x: torch.Tensor,
    weight: torch.Tensor,
    conv_state: torch.Tensor,
    bias: torch.Tensor | None,
    starts: torch.Tensor | None,
    blocks: torch.Tensor | None,
    initial: torch.Tensor | None,
    accepted: torch.Tensor | None,
    activation_mode: int,
    run_mode: int,
) -> None:
    given = {"x": x, "weight": weight, "conv_state": conv_state, "bias": bias, "output": output}
    dtype(_OPERATOR, FLOAT, **given)
    same_dtype(_OPERATOR, **given)
    rank(_OPERATOR, range(2, 3), x=x, weight=weight, output=output)
    rank(_OPERATOR, range(3, 4), conv_state=conv_state)
    dtype(_OPERATOR, (torch.int32, torch.int64), query_start_loc=starts, cache_indices=blocks)
    channels = x.shape[1] == weight.shape[1] == conv_state.shape[2]
    require(channels and output.shape == x.shape, _OPERATOR, "x, weight, conv_state and output must agree in channels")
    require(bias is None or bias.shape == x.shape[1:], _OPERATOR, "bias must have one value a channel")
    require(conv_state.shape[1] >= weight.shape[0] - 1, _OPERATOR, "conv_state must hold a token less than the kernel")
    require(activation_mode in (0, 1), _OPERATOR, f"activation_mode must be 0 or 1, got {activation_mode}")
    require(run_mode in (_PROMPTS, _TOKENS), _OPERATOR, f"run_mode must be 0 or 1, got {run_mode}")
    if starts is None or blocks is None:
        require(False, _OPERATOR, "query_start_loc_opt and cache_indices_opt must be given")
        return
    sequences = starts.shape[0] - 1
    for name, values in (("cache_indices", blocks), ("initial_state_mode", initial), ("num_accepted_tokens", accepted)):
        fits = values is None or values.shape[0] >= sequences
        require(fits, _OPERATOR, f"{name} must have one value a sequence")


def _convolved(inputs: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor | None, silu: bool) -> torch.Tensor:
    """Return the convolution of inputs ([history + tokens, channels]) at the tokens."""
    windows = inputs.float().unfold(0, weight.shape[0], 1)  # [tokens, channels, width]
    total = torch.einsum("tcw,wc->tc", windows, weight.float())
    total = total if bias is None else total + bias.float()
    return torch.nn.functional.silu(total) if silu else total


@reference(_OPERATOR)
def npu_causal_conv1d_custom(
    output: torch.Tensor,
    x: torch.Tensor,
    weight: torch.Tensor,
    conv_state: torch.Tensor,
    bias_opt: torch.Tensor | None,
    query_start_loc_opt: torch.Tensor | None,
    cache_indices_opt: torch.Tensor | None,
    initial_state_mode_opt: torch.Tensor | None,
    num_accepted_tokens_opt: torch.Tensor | None,
    activation_mode: int,
    pad_slot_id: int,
    run_mode: int,
) -> torch.Tensor:
    """Write each sequence's convolution and what its next tokens need; return the output."""
    _check(
        *(output, x, weight, conv_state, bias_opt, query_start_loc_opt, cache_indices_opt, initial_state_mode_opt),
        *(num_accepted_tokens_opt, activation_mode, run_mode),
    )
    assert query_start_loc_opt is not None
    assert cache_indices_opt is not None
    history, starts = weight.shape[0] - 1, query_start_loc_opt.tolist()
    require(starts == sorted(starts) and starts[-1] <= len(x), _OPERATOR, "query_start_loc must not decrease")
    blocks = cache_indices_opt if cache_indices_opt.dim() == 1 else cache_indices_opt[:, 0]
    for sequence, (start, end) in enumerate(itertools.pairwise(starts)):
        block = int(blocks[sequence])
        if start == end or block == pad_slot_id:
            continue
        require(0 <= block < len(conv_state), _OPERATOR, f"cache_indices must lie in [0, {len(conv_state) - 1}]")
        first = 0 if num_accepted_tokens_opt is None else int(num_accepted_tokens_opt[sequence]) - 1
        before = conv_state[block, first : first + history].clone()
        if run_mode == _PROMPTS and not (initial_state_mode_opt is not None and bool(initial_state_mode_opt[sequence])):
            before.zero_()
        inputs = torch.cat((before, x[start:end]))
        output[start:end] = _convolved(inputs, weight, bias_opt, activation_mode == 1).to(output.dtype)
        # Where drafts are checked all of them stay: how many are accepted is known with the next tokens.
        kept = inputs[-history:] if num_accepted_tokens_opt is None else inputs[1:]
        require(len(kept) <= conv_state.shape[1], _OPERATOR, "conv_state must hold the drafts of a sequence")
        conv_state[block, : len(kept)] = kept
    return output


@fake(_OPERATOR)
def npu_causal_conv1d_custom_fake(
    output: torch.Tensor,
    x: torch.Tensor,
    weight: torch.Tensor,
    conv_state: torch.Tensor,
    bias_opt: torch.Tensor | None,
    query_start_loc_opt: torch.Tensor | None,
    cache_indices_opt: torch.Tensor | None,
    initial_state_mode_opt: torch.Tensor | None,
    num_accepted_tokens_opt: torch.Tensor | None,
    activation_mode: int,
    pad_slot_id: int,
    run_mode: int,
) -> torch.Tensor:
    """Return the output."""
    _check(
        *(output, x, weight, conv_state, bias_opt, query_start_loc_opt, cache_indices_opt, initial_state_mode_opt),
        *(num_accepted_tokens_opt, activation_mode, run_mode),
    )
    return output
