"""Rotary embedding by positions, in place and partial: what ``torch_npu/_op_plugin_docs.py`` says of ``npu_mrope`` and
``npu_apply_rotary_pos_emb``, and vllm-ascend's sources of ``inplace_partial_rotary_mul``.

``_npu_rotary_embedding`` is not documented; its arguments are those of vLLM's own ``rotary_embedding``, whose meaning it
has.
"""

from collections.abc import Sequence

import torch

from torch_npu_sim.constraints import FLOAT, HALF, dtype, rank, require, same_dtype, within
from torch_npu_sim.operators import fake, reference
from torch_npu_sim.rotation import rotated

_MROPE = "npu_mrope"
_APPLY = "npu_apply_rotary_pos_emb"
_ATB = "_npu_rotary_embedding"
_PARTIAL = "_C_ascend::inplace_partial_rotary_mul"

_SPREAD = {"half": lambda angles: torch.cat((angles, angles), -1), "interleave": lambda a: a.repeat_interleave(2, -1)}


def _rotated_heads(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor, head_size: int, mode: str) -> torch.Tensor:
    """Return ``x`` ([tokens, heads * size]) with the first parts of its heads turned."""
    heads = x.reshape(x.shape[0], -1, head_size)
    width = 2 * cos.shape[-1]
    cos, sin = (_SPREAD[mode](angles)[:, None].float() for angles in (cos, sin))
    turned = rotated(heads[..., :width].float(), cos, sin, mode).to(x.dtype)
    return torch.cat((turned, heads[..., width:]), -1).view(x.shape)


def _of_sections(angles: torch.Tensor, sections: Sequence[int], cache_mode: str) -> torch.Tensor:
    """Return one angle a place from those of the three positions ([3, tokens, places])."""
    if cache_mode == "default":
        parts = angles.split(list(sections), -1)
        return torch.cat([part[axis] for axis, part in enumerate(parts)], -1)
    chosen = angles[0].clone()
    for axis in (1, 2):
        places = slice(axis, 3 * sections[axis], 3)
        chosen[..., places] = angles[axis][..., places]
    return chosen


def _check_mrope(
    positions: torch.Tensor,
    query: torch.Tensor,
    key: torch.Tensor,
    cache: torch.Tensor,
    head_size: int,
    sections: Sequence[int],
    rotary_mode: str | None,
    cache_mode: str | None,
) -> None:
    dtype(_MROPE, (torch.int32, torch.int64), positions=positions)
    dtype(_MROPE, FLOAT, query=query, key=key, cos_sin_cache=cache)
    same_dtype(_MROPE, query=query, key=key, cos_sin_cache=cache)
    rank(_MROPE, range(1, 3), positions=positions)
    rank(_MROPE, range(2, 3), query=query, key=key, cos_sin_cache=cache)
    require(rotary_mode in _SPREAD, _MROPE, f"rotary_mode must be 'half' or 'interleave', got {rotary_mode!r}")
    require(cache_mode in ("default", "interleave"), _MROPE, "cache_mode must be 'default' or 'interleave'")
    tokens = positions.shape[-1] == query.shape[0] == key.shape[0]
    require(tokens, _MROPE, "positions, query and key must have as many tokens")
    width = cache.shape[1]
    aligned = width % (32 if query.dtype in HALF else 16) == 0
    require(aligned and width <= head_size, _MROPE, f"rotary_dim {width} is not supported with {query.dtype}")
    whole = query.shape[1] % head_size == 0 and key.shape[1] % head_size == 0
    require(whole, _MROPE, "query and key must be whole heads wide")
    if positions.dim() == 2:
        require(positions.shape[0] == 3, _MROPE, "positions must be [tokens] or [3, tokens]")
        require(sum(sections) == width // 2, _MROPE, "mrope_section must sum up to rotary_dim / 2")


@reference(_MROPE)
def npu_mrope(
    positions: torch.Tensor,
    query: torch.Tensor,
    key: torch.Tensor,
    cos_sin_cache: torch.Tensor,
    head_size: int,
    *,
    mrope_section: Sequence[int] | None = None,
    rotary_mode: str | None = "half",
    cache_mode: str | None = "default",
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return query and key with the first parts of their heads turned."""
    sections = mrope_section or (0, 0, 0)
    _check_mrope(positions, query, key, cos_sin_cache, head_size, sections, rotary_mode, cache_mode)
    within(_MROPE, 0, cos_sin_cache.shape[0] - 1, positions=positions)
    cos, sin = cos_sin_cache[positions.long()].chunk(2, -1)
    if positions.dim() == 2:
        cos, sin = (_of_sections(angles, sections, cache_mode or "") for angles in (cos, sin))
    return tuple(_rotated_heads(x, cos, sin, head_size, rotary_mode or "") for x in (query, key))  # type: ignore[return-value]


@fake(_MROPE)
def npu_mrope_fake(
    positions: torch.Tensor,
    query: torch.Tensor,
    key: torch.Tensor,
    cos_sin_cache: torch.Tensor,
    head_size: int,
    *,
    mrope_section: Sequence[int] | None = None,
    rotary_mode: str | None = "half",
    cache_mode: str | None = "default",
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return tensors like query and key."""
    sections = mrope_section or (0, 0, 0)
    _check_mrope(positions, query, key, cos_sin_cache, head_size, sections, rotary_mode, cache_mode)
    return query.new_empty(query.shape), key.new_empty(key.shape)


def _check_atb(positions: torch.Tensor, query: torch.Tensor, key: torch.Tensor, cache: torch.Tensor, size: int) -> None:
    dtype(_ATB, (torch.int32, torch.int64), positions=positions)
    dtype(_ATB, HALF, query=query, key=key, cos_sin_cache=cache)
    same_dtype(_ATB, query=query, key=key, cos_sin_cache=cache)
    require(cache.shape[1] <= size, _ATB, "cos_sin_cache must not be wider than a head")
    for name, x in (("query", query), ("key", key)):
        whole = x.shape[0] == positions.numel() and x.numel() % (x.shape[0] * size) == 0
        require(whole, _ATB, f"{name} must be of whole heads of as many tokens as positions")


@reference(_ATB)
def npu_rotary_embedding(
    positions: torch.Tensor,
    query: torch.Tensor,
    key: torch.Tensor,
    head_size: int,
    cos_sin_cache: torch.Tensor,
    is_neox_style: bool,
) -> None:
    """Turn the first parts of the heads of query and key in place."""
    _check_atb(positions, query, key, cos_sin_cache, head_size)
    within(_ATB, 0, cos_sin_cache.shape[0] - 1, positions=positions)
    cos, sin = cos_sin_cache[positions.flatten().long()].chunk(2, -1)
    mode = "half" if is_neox_style else "interleave"
    for x in (query, key):
        x.copy_(_rotated_heads(x.flatten(1), cos, sin, head_size, mode).view(x.shape))


@fake(_ATB)
def npu_rotary_embedding_fake(
    positions: torch.Tensor,
    query: torch.Tensor,
    key: torch.Tensor,
    head_size: int,
    cos_sin_cache: torch.Tensor,
    is_neox_style: bool,
) -> None:
    """Return nothing: query and key are turned in place."""
    _check_atb(positions, query, key, cos_sin_cache, head_size)


@reference(_APPLY)
def npu_apply_rotary_pos_emb(
    query: torch.Tensor,
    key: torch.Tensor,
    cos: torch.Tensor,
    sin: torch.Tensor,
    layout: str = "BSND",
    rotary_mode: str = "half",
) -> tuple[torch.Tensor, torch.Tensor]:
    """Turn query and key in place, and return them."""
    _check_apply(query, key, cos, sin, layout, rotary_mode)
    for x in (query, key):
        width = cos.shape[-1]
        part = x[..., :width]
        part.copy_(rotated(part.float(), cos.float(), sin.float(), "half").to(x.dtype))
    return query, key


def _check_apply(
    query: torch.Tensor, key: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor, layout: str, rotary_mode: str
) -> None:
    tensors = {"query": query, "key": key, "cos": cos, "sin": sin}
    dtype(_APPLY, FLOAT, **tensors)
    same_dtype(_APPLY, **tensors)
    require(layout in ("BSND", "TND"), _APPLY, f"layout must be 'BSND' or 'TND', got {layout!r}")
    require(rotary_mode == "half", _APPLY, f"rotary_mode must be 'half', got {rotary_mode!r}")
    rank(_APPLY, range(4, 5) if layout == "BSND" else range(3, 4), **tensors)
    require(all(x.numel() > 0 for x in tensors.values()), _APPLY, "no tensor may be empty")
    require(all(x.shape[-1] in (64, 128) for x in tensors.values()), _APPLY, "D must be 64 or 128")
    require(query.shape[-1] == key.shape[-1], _APPLY, "query and key must agree in D")
    require(cos.shape == sin.shape and cos.shape[-2] == 1, _APPLY, "cos and sin must have one shape, N being 1")
    require(all(x.shape[:-2] == query.shape[:-2] for x in tensors.values()), _APPLY, "B, S or T must agree")


@fake(_APPLY)
def npu_apply_rotary_pos_emb_fake(
    query: torch.Tensor,
    key: torch.Tensor,
    cos: torch.Tensor,
    sin: torch.Tensor,
    layout: str = "BSND",
    rotary_mode: str = "half",
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return tensors like query and key."""
    _check_apply(query, key, cos, sin, layout, rotary_mode)
    return query.new_empty(query.shape), key.new_empty(key.shape)


@fake(_PARTIAL)
@reference(_PARTIAL)
def inplace_partial_rotary_mul(
    x: torch.Tensor,
    r1: torch.Tensor,
    r2: torch.Tensor,
    rotary_mode: str,
    partial_slice: Sequence[int],
    negate_sin: bool = False,
) -> None:
    """Turn neighbouring pairs of a slice of the last dimension in place; a negated sine turns back."""
    dtype(_PARTIAL, FLOAT, x=x)
    rank(_PARTIAL, range(4, 5), x=x, r1=r1, r2=r2)
    require(rotary_mode == "interleave", _PARTIAL, f"rotary_mode must be 'interleave', got {rotary_mode!r}")
    require(len(partial_slice) == 2, _PARTIAL, "partial_slice must be a start and an end")
    start, end = partial_slice
    require(0 <= start < end <= x.shape[-1], _PARTIAL, "partial_slice must lie within x")
    require(r1.shape == r2.shape and r1.shape[-1] == end - start, _PARTIAL, "r1 and r2 must be as wide as the slice")
    part = x[..., start:end]
    part.copy_(rotated(part.float(), r1.float(), r2.float() * (-1 if negate_sin else 1), "interleave").to(x.dtype))
