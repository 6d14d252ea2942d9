"""LoRA of vllm-ascend's own extension: what ``csrc/torch_binding.cpp`` and ``csrc/kernels/[bs]gmv_*.cpp`` check.

``shrink`` writes ``x`` times an adapter's A into ``y``, ``expand`` adds ``x`` times its B to a slice of ``y``. The bgmv
forms have an adapter for each token, the sgmv forms one for each run of tokens. A token without an adapter
(-1, or beyond all runs) is left alone. The kernels know no shape of the weight: adapter i begins after i matrices of
the size that ``x`` and ``y`` (or the slice) ask for.
"""

import torch

from torch_npu_sim.constraints import HALF, dtype, rank, require
from torch_npu_sim.operators import fake, reference

_BGMV_SHRINK = "_C_ascend::bgmv_shrink"
_BGMV_EXPAND = "_C_ascend::bgmv_expand"
_SGMV_SHRINK = "_C_ascend::sgmv_shrink"
_SGMV_EXPAND = "_C_ascend::sgmv_expand"

#: The kernels that expand are compiled for these alone.
_RANKS = (8, 16, 32, 64)


def _check(
    operator: str, x: torch.Tensor, weight: torch.Tensor, y: torch.Tensor, narrow: torch.Tensor, **lists: torch.Tensor
) -> None:
    dtype(operator, HALF, **{"x" if narrow is x else "y": narrow, "weight": weight})
    rank(operator, range(2, 3), x=x, y=y)
    rank(operator, range(3, 5), weight=weight)
    dtype(operator, (torch.int64,), **lists)
    rank(operator, range(1, 2), **lists)
    require(
        weight.dim() == 3 or weight.shape[1] == 1, operator, "weight must be [loras, out, in] or [loras, 1, out, in]"
    )
    require(x.shape[0] == y.shape[0], operator, "x and y must have as many rows")


def _check_shrink(operator: str, x: torch.Tensor, weight: torch.Tensor, y: torch.Tensor, **lists: torch.Tensor) -> None:
    _check(operator, x, weight, y, x, **lists)
    require(x.shape[1] > y.shape[1], operator, "x must be wider than y")


def _check_expand(
    operator: str, x: torch.Tensor, weight: torch.Tensor, y: torch.Tensor, start: int, size: int, **lists: torch.Tensor
) -> None:
    _check(operator, x, weight, y, y, **lists)
    require(x.shape[1] in _RANKS, operator, f"the rank must be one of {_RANKS}, got {x.shape[1]}")
    require(x.shape[1] <= size, operator, "x must not be wider than the slice")
    require(start >= 0 and start + size <= y.shape[1], operator, "the slice must lie within y")


def _of_tokens(operator: str, indices: torch.Tensor, tokens: int) -> torch.Tensor:
    require(indices.shape[0] == tokens, operator, "indices must name an adapter for each token")
    return indices


def _of_runs(operator: str, indices: torch.Tensor, lengths: torch.Tensor, tokens: int) -> torch.Tensor:
    require(indices.shape[0] >= lengths.shape[0], operator, "lora_indices must name an adapter for each run")
    adapters = indices[: len(lengths)].repeat_interleave(lengths)[:tokens]
    return torch.cat((adapters, adapters.new_full((tokens - len(adapters),), -1)))


def _products(operator: str, x: torch.Tensor, weight: torch.Tensor, adapters: torch.Tensor, height: int) -> torch.Tensor:
    """Return each token's ``x`` times its adapter's matrix of that height, in float32."""
    held, last = weight.numel() // (height * x.shape[1]), max(adapters.tolist(), default=-1)
    require(last < held, operator, f"weight must hold adapter {last} of {height} rows, it holds {held} such adapters")
    matrices = weight.reshape(-1)[: held * height * x.shape[1]].reshape(held, height, x.shape[1])
    return torch.einsum("ti,toi->to", x.float(), matrices[adapters.clamp_min(0)].float())


def _shrink(
    operator: str, x: torch.Tensor, weight: torch.Tensor, y: torch.Tensor, scale: float, adapters: torch.Tensor
) -> None:
    products = (_products(operator, x, weight, adapters, y.shape[1]) * scale).to(y.dtype)
    y.copy_(torch.where(adapters[:, None] >= 0, products, y))


def _expand(
    operator: str, x: torch.Tensor, weight: torch.Tensor, y: torch.Tensor, start: int, size: int, adapters: torch.Tensor
) -> torch.Tensor:
    part = y[:, start : start + size]
    total = (_products(operator, x, weight, adapters, size) + part.float()).to(y.dtype)
    part.copy_(torch.where(adapters[:, None] >= 0, total, part))
    return y


@reference(_BGMV_SHRINK)
def bgmv_shrink(x: torch.Tensor, weight: torch.Tensor, indices: torch.Tensor, y: torch.Tensor, scale: float) -> None:
    """Write each token's product into ``y``."""
    _check_shrink(_BGMV_SHRINK, x, weight, y, indices=indices)
    _shrink(_BGMV_SHRINK, x, weight, y, scale, _of_tokens(_BGMV_SHRINK, indices, len(x)))


@fake(_BGMV_SHRINK)
def bgmv_shrink_fake(
    x: torch.Tensor, weight: torch.Tensor, indices: torch.Tensor, y: torch.Tensor, scale: float
) -> None:
    """Return nothing: ``y`` is written in place."""
    _check_shrink(_BGMV_SHRINK, x, weight, y, indices=indices)


@reference(_SGMV_SHRINK)
def sgmv_shrink(
    x: torch.Tensor,
    weight: torch.Tensor,
    lora_indices: torch.Tensor,
    seq_len: torch.Tensor,
    y: torch.Tensor,
    scale: float,
) -> None:
    """Write each token's product into ``y``."""
    _check_shrink(_SGMV_SHRINK, x, weight, y, lora_indices=lora_indices, seq_len=seq_len)
    _shrink(_SGMV_SHRINK, x, weight, y, scale, _of_runs(_SGMV_SHRINK, lora_indices, seq_len, len(x)))


@fake(_SGMV_SHRINK)
def sgmv_shrink_fake(
    x: torch.Tensor,
    weight: torch.Tensor,
    lora_indices: torch.Tensor,
    seq_len: torch.Tensor,
    y: torch.Tensor,
    scale: float,
) -> None:
    """Return nothing: ``y`` is written in place."""
    _check_shrink(_SGMV_SHRINK, x, weight, y, lora_indices=lora_indices, seq_len=seq_len)


@reference(_BGMV_EXPAND)
def bgmv_expand(
    x: torch.Tensor, weight: torch.Tensor, indices: torch.Tensor, y: torch.Tensor, slice_offset: int, slice_size: int
) -> torch.Tensor:
    """Add each token's product to the slice of ``y``, and return ``y``."""
    _check_expand(_BGMV_EXPAND, x, weight, y, slice_offset, slice_size, indices=indices)
    adapters = _of_tokens(_BGMV_EXPAND, indices, len(x))
    return _expand(_BGMV_EXPAND, x, weight, y, slice_offset, slice_size, adapters)


@fake(_BGMV_EXPAND)
def bgmv_expand_fake(
    x: torch.Tensor, weight: torch.Tensor, indices: torch.Tensor, y: torch.Tensor, slice_offset: int, slice_size: int
) -> torch.Tensor:
    """Return a tensor like ``y``, as the extension's own meta function does."""
    _check_expand(_BGMV_EXPAND, x, weight, y, slice_offset, slice_size, indices=indices)
    return torch.empty_like(y)


@reference(_SGMV_EXPAND)
def sgmv_expand(
    x: torch.Tensor,
    weight: torch.Tensor,
    lora_indices: torch.Tensor,
    seq_len: torch.Tensor,
    y: torch.Tensor,
    slice_offset: int,
    slice_size: int,
) -> torch.Tensor:
    """Add each token's product to the slice of ``y``, and return ``y``."""
    _check_expand(_SGMV_EXPAND, x, weight, y, slice_offset, slice_size, lora_indices=lora_indices, seq_len=seq_len)
    adapters = _of_runs(_SGMV_EXPAND, lora_indices, seq_len, len(x))
    return _expand(_SGMV_EXPAND, x, weight, y, slice_offset, slice_size, adapters)


@fake(_SGMV_EXPAND)
def sgmv_expand_fake(
    x: torch.Tensor,
    weight: torch.Tensor,
    lora_indices: torch.Tensor,
    seq_len: torch.Tensor,
    y: torch.Tensor,
    slice_offset: int,
    slice_size: int,
) -> torch.Tensor:
    """Return a tensor like ``y``, as the extension's own meta function does."""
    _check_expand(_SGMV_EXPAND, x, weight, y, slice_offset, slice_size, lora_indices=lora_indices, seq_len=seq_len)
    return torch.empty_like(y)
