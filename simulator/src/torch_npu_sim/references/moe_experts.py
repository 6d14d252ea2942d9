"""Computing experts and bringing tokens back: what ``torch_npu/_op_plugin_docs.py`` says of the operators.

``npu_moe_token_unpermute`` is documented twice; held to is the later entry, which is the one that torch shows.
"""

from collections.abc import Sequence

import torch

from torch_npu_sim.constraints import FLOAT, absent, dtype, rank, require, same_dtype
from torch_npu_sim.operators import fake, reference

_MATMUL = "npu_grouped_matmul"
_UNPERMUTE = "npu_moe_token_unpermute"

_INNER_LIMIT = 65536
_MOST_CHOICES = 512


def _check_matmul(
    x: Sequence[torch.Tensor],
    weight: Sequence[torch.Tensor],
    group_list: torch.Tensor | None,
    split_item: int | None,
    group_type: int | None,
    group_list_type: int | None,
    act_type: int | None,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return the one tensor of rows, the one tensor of weights, and the list of groups."""
    if split_item not in (2, 3) or group_type != 0 or act_type != 0 or len(x) != 1 or len(weight) != 1:
        raise NotImplementedError(
            f"the reference implementation of {_MATMUL} supports groups of rows of one tensor alone"
        )
    rows, matrices = x[0], weight[0]
    dtype(_MATMUL, FLOAT, x=rows, weight=matrices)
    same_dtype(_MATMUL, x=rows, weight=matrices)
    rank(_MATMUL, range(2, 3), x=rows)
    rank(_MATMUL, range(3, 4), weight=matrices)
    plain = matrices.is_contiguous() or matrices.transpose(1, 2).is_contiguous()
    require(plain, _MATMUL, "weight must be contiguous or the transpose of a contiguous tensor")
    require(rows.shape[1] == matrices.shape[1], _MATMUL, "x and weight must agree in K")
    widest = max(rows.shape[1], matrices.shape[2])
    require(widest < _INNER_LIMIT, _MATMUL, f"inner dimensions must be below {_INNER_LIMIT}, got {widest}")
    if group_list is None:
        require(False, _MATMUL, "group_type 0 demands a group_list")
        raise AssertionError
    dtype(_MATMUL, (torch.int64,), group_list=group_list)
    rank(_MATMUL, range(1, 2), group_list=group_list)
    require(group_list.shape[0] == matrices.shape[0], _MATMUL, "group_list must have one value a group")
    require(group_list_type in (0, 1), _MATMUL, f"group_list_type must be 0 or 1, got {group_list_type}")
    several = group_list_type == 0 or group_list.shape[0] > 1
    require(several, _MATMUL, "a list of counts must have two groups or more")
    return rows, matrices, group_list


@reference(_MATMUL)
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
    absent(_MATMUL, **others)
    rows, matrices, groups = _check_matmul(x, weight, group_list, split_item, group_type, group_list_type, act_type)
    require(bool((groups >= 0).all()), _MATMUL, "group_list must not be negative")
    ends = (groups.cumsum(0) if group_list_type == 1 else groups).tolist()
    require(ends == sorted(ends) and ends[-1] <= len(rows), _MATMUL, "groups must lie within x in order")
    output = rows.new_zeros(len(rows), matrices.shape[2])
    for group, (start, end) in enumerate(zip([0, *ends[:-1]], ends, strict=True)):
        output[start:end] = rows[start:end] @ matrices[group]
    return [output]


@fake(_MATMUL)
def npu_grouped_matmul_fake(
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
    """Return one tensor with the rows of ``x`` and the columns of the weights."""
    absent(_MATMUL, **others)
    rows, matrices, _ = _check_matmul(x, weight, group_list, split_item, group_type, group_list_type, act_type)
    return [rows.new_empty(rows.shape[0], matrices.shape[2])]


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
    inside = bool(((places >= 0) & (places < len(permuted_tokens))).all())
    require(inside, _UNPERMUTE, f"sorted_indices must lie in [0, {len(permuted_tokens) - 1}]")
    require(places.unique().numel() == places.numel(), _UNPERMUTE, "sorted_indices must not repeat")
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
