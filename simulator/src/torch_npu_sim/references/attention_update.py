"""Merging attention to parts of the keys: what ``torch_npu/_op_plugin_docs.py`` says of ``npu_attention_update``."""

from collections.abc import Sequence

import torch

from torch_npu_sim.constraints import FLOAT, contiguous, dtype, rank, require, same_dtype
from torch_npu_sim.operators import fake, reference

_OPERATOR = "npu_attention_update"
_UPDATE_TYPES = (0, 1)


def _check(lse: Sequence[torch.Tensor], local_out: Sequence[torch.Tensor], update_type: int) -> None:
    require(update_type in _UPDATE_TYPES, _OPERATOR, f"update_type must be 0 or 1, got {update_type}")
    parts = len(lse)
    require(parts == len(local_out) and parts > 0, _OPERATOR, "lse and local_out must be of as many parts")
    sums = {f"lse[{i}]": tensor for i, tensor in enumerate(lse)}
    outputs = {f"local_out[{i}]": tensor for i, tensor in enumerate(local_out)}
    dtype(_OPERATOR, (torch.float32,), **sums)
    dtype(_OPERATOR, FLOAT, **outputs)
    same_dtype(_OPERATOR, **outputs)
    contiguous(_OPERATOR, **sums, **outputs)
    rank(_OPERATOR, range(1, 2), **sums)
    rank(_OPERATOR, range(2, 3), **outputs)
    alike = all(each.shape == lse[0].shape for each in lse) and all(o.shape == local_out[0].shape for o in local_out)
    alike = alike and local_out[0].shape[0] == lse[0].shape[0]
    require(alike, _OPERATOR, "lse must be [rows] and local_out [rows, head_dim], the same of all parts")


@reference(_OPERATOR)
def npu_attention_update(
    lse: Sequence[torch.Tensor], local_out: Sequence[torch.Tensor], update_type: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return attention to all keys, and its log-sum-exp."""
    _check(lse, local_out, update_type)
    sums = torch.stack(list(lse))
    merged = sums.logsumexp(0)
    # Where no part has keys, all weights are none.
    weights = (sums - merged).exp().nan_to_num(0.0)
    output = (torch.stack(list(local_out)).float() * weights[..., None]).sum(0)
    return output.to(local_out[0].dtype), merged


@fake(_OPERATOR)
def npu_attention_update_fake(
    lse: Sequence[torch.Tensor], local_out: Sequence[torch.Tensor], update_type: int
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return tensors of the shapes of the attention and of its log-sum-exp."""
    _check(lse, local_out, update_type)
    return torch.empty_like(local_out[0]), torch.empty_like(lse[0])
