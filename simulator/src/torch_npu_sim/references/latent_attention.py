"""The operators before latent attention (MLA): ``npu_kv_rmsnorm_rope_cache``, ``npu_interleave_rope`` and
``npu_transpose_batchmatmul``.

torch_npu's documentation has the last one alone. The other two are held to what the meta functions of torch_npu demand
(``torch_npu/op_plugin/meta/_meta_registrations.py``); their formulas are those of the models: neighbouring pairs
are turned, and come out as halves. Caches are paged; a slot of -1 is padding.
"""

from collections.abc import Sequence

import torch

from torch_npu_sim.constraints import FLOAT, HALF, absent, dtype, rank, require, same_dtype, within
from torch_npu_sim.operators import fake, reference
from torch_npu_sim.rotation import neighbours_as_halves, rotated

_ROPE = "npu_interleave_rope"
_CACHE = "npu_kv_rmsnorm_rope_cache"
_PRODUCT = "npu_transpose_batchmatmul"

_NZ = 16
_WIDEST = 65536


def _rope(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    return rotated(neighbours_as_halves(x.float()), cos.float(), sin.float(), "half").to(x.dtype)


@fake(_ROPE)
@reference(_ROPE)
def npu_interleave_rope(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor) -> torch.Tensor:
    """Return the turned pairs as two halves."""
    dtype(_ROPE, HALF, x=x, cos=cos, sin=sin)
    same_dtype(_ROPE, x=x, cos=cos, sin=sin)
    rank(_ROPE, range(4, 5), x=x, cos=cos, sin=sin)
    batch, heads, tokens, size = x.shape
    require(size == 64, _ROPE, f"D must be 64, got {size}")
    require(cos.shape == sin.shape, _ROPE, "cos and sin must have one shape")
    fits = cos.shape[0] == batch and cos.shape[1] in (1, heads) and cos.shape[2] in (1, tokens) and cos.shape[3] == size
    require(fits, _ROPE, f"cos must be [B, 1 or N, 1 or S, D], got {tuple(cos.shape)}")
    return _rope(x, cos, sin)


def _check_cache(
    kv: torch.Tensor,
    gamma: torch.Tensor,
    cos: torch.Tensor,
    sin: torch.Tensor,
    index: torch.Tensor,
    k_cache: torch.Tensor,
    ckv_cache: torch.Tensor,
    cache_mode: str,
) -> None:
    if cache_mode not in ("PA", "PA_BNSD", "PA_NZ"):
        raise NotImplementedError(f"the reference implementation of {_CACHE} does not support cache_mode {cache_mode!r}")
    dtype(_CACHE, HALF, kv=kv, gamma=gamma, cos=cos, sin=sin)
    same_dtype(_CACHE, kv=kv, gamma=gamma, cos=cos, sin=sin, k_cache=k_cache, ckv_cache=ckv_cache)
    dtype(_CACHE, (torch.int64,), index=index)
    rank(_CACHE, range(4, 5), kv=kv, cos=cos, sin=sin, k_cache=k_cache, ckv_cache=ckv_cache)
    rank(_CACHE, range(1, 2), gamma=gamma, index=index)
    batch, heads, tokens, size = kv.shape
    latent, rope = gamma.shape[0], cos.shape[3]
    require(heads == 1, _CACHE, f"N must be 1, got {heads}")
    require(size == latent + rope, _CACHE, f"kv must be as wide as gamma and cos, {latent} + {rope}, got {size}")
    fits = cos.shape == sin.shape and cos.shape[:3] == (batch, 1, tokens)
    require(fits, _CACHE, "cos and sin must be [B, 1, S, D]")
    require(index.shape[0] == batch * tokens, _CACHE, "index must have a slot a token")
    wide = (k_cache.shape[3], ckv_cache.shape[3]) == (rope, latent) and k_cache.shape[:3] == ckv_cache.shape[:3]
    require(wide, _CACHE, "the caches must have as many slots, as wide as cos and gamma")


def _store(cache: torch.Tensor, slots: torch.Tensor, rows: torch.Tensor, cache_mode: str) -> None:
    """Write rows ([tokens, size]) into the slots of a cache; its heads, of which there is one, stand by mode."""
    size = cache.shape[3]
    block = cache.shape[1] if cache_mode != "PA_BNSD" else cache.shape[2]
    kept = slots >= 0
    blocks, places, rows = slots[kept] // block, slots[kept] % block, rows[kept].to(cache.dtype)
    if cache_mode == "PA_NZ":
        cache.view(cache.shape[0], size // _NZ, block, _NZ)[blocks, :, places] = rows.view(-1, size // _NZ, _NZ)
    elif cache_mode == "PA_BNSD":
        cache[blocks, 0, places] = rows
    else:
        cache[blocks, places, 0] = rows


@reference(_CACHE)
def npu_kv_rmsnorm_rope_cache(
    kv: torch.Tensor,
    gamma: torch.Tensor,
    cos: torch.Tensor,
    sin: torch.Tensor,
    index: torch.Tensor,
    k_cache: torch.Tensor,
    ckv_cache: torch.Tensor,
    *,
    k_rope_scale: torch.Tensor | None = None,
    c_kv_scale: torch.Tensor | None = None,
    k_rope_offset: torch.Tensor | None = None,
    c_kv_offset: torch.Tensor | None = None,
    v: torch.Tensor | None = None,
    epsilon: float = 1e-5,
    cache_mode: str = "Norm",
    is_output_kv: bool = False,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """Write the turned and the normalised part into their caches; return the caches and, if asked for, both parts."""
    absent(_CACHE, k_rope_scale=k_rope_scale, c_kv_scale=c_kv_scale, k_rope_offset=k_rope_offset)
    absent(_CACHE, c_kv_offset=c_kv_offset, v=v)
    _check_cache(kv, gamma, cos, sin, index, k_cache, ckv_cache, cache_mode)
    slots = index.long()
    last = k_cache.shape[0] * k_cache.shape[1] * k_cache.shape[2] - 1
    within(_CACHE, -1, last, index=slots)
    latent = kv[..., : gamma.shape[0]].float()
    normalised = latent * torch.rsqrt(latent.square().mean(-1, keepdim=True) + epsilon) * gamma.float()
    parts = _rope(kv[..., gamma.shape[0] :], cos, sin), normalised.to(kv.dtype)
    for cache, part in zip((k_cache, ckv_cache), parts, strict=True):
        _store(cache, slots, part.reshape(-1, part.shape[-1]), cache_mode)
    # What is not asked for has a shape, and values that are not defined.
    return k_cache, ckv_cache, *(parts if is_output_kv else (torch.empty_like(part) for part in parts))


@fake(_CACHE)
def npu_kv_rmsnorm_rope_cache_fake(
    kv: torch.Tensor,
    gamma: torch.Tensor,
    cos: torch.Tensor,
    sin: torch.Tensor,
    index: torch.Tensor,
    k_cache: torch.Tensor,
    ckv_cache: torch.Tensor,
    *,
    k_rope_scale: torch.Tensor | None = None,
    c_kv_scale: torch.Tensor | None = None,
    k_rope_offset: torch.Tensor | None = None,
    c_kv_offset: torch.Tensor | None = None,
    v: torch.Tensor | None = None,
    epsilon: float = 1e-5,
    cache_mode: str = "Norm",
    is_output_kv: bool = False,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return tensors like the caches and like both parts, as torch_npu's own meta function does."""
    absent(_CACHE, k_rope_scale=k_rope_scale, c_kv_scale=c_kv_scale, k_rope_offset=k_rope_offset)
    absent(_CACHE, c_kv_offset=c_kv_offset, v=v)
    _check_cache(kv, gamma, cos, sin, index, k_cache, ckv_cache, cache_mode)
    return (
        torch.empty_like(k_cache),
        torch.empty_like(ckv_cache),
        kv.new_empty((*kv.shape[:3], cos.shape[3])),
        kv.new_empty((*kv.shape[:3], gamma.shape[0])),
    )


@fake(_PRODUCT)
@reference(_PRODUCT)
def npu_transpose_batchmatmul(
    input: torch.Tensor,
    weight: torch.Tensor,
    *,
    bias: torch.Tensor | None = None,
    scale: torch.Tensor | None = None,
    perm_x1: Sequence[int] | None = None,
    perm_x2: Sequence[int] | None = None,
    perm_y: Sequence[int] | None = None,
    batch_split_factor: int | None = 1,
) -> torch.Tensor:
    """Return the product of each batch, [M, batch, N]."""
    absent(_PRODUCT, bias=bias, scale=scale)
    if batch_split_factor != 1:
        raise NotImplementedError(f"the reference implementation of {_PRODUCT} supports batch_split_factor 1 alone")
    dtype(_PRODUCT, FLOAT, input=input, weight=weight)
    same_dtype(_PRODUCT, input=input, weight=weight)
    rank(_PRODUCT, range(3, 4), input=input, weight=weight)
    left, right, result = (
        list(p or default) for p, default in ((perm_x1, _AS_IS), (perm_x2, _AS_IS), (perm_y, _SWAPPED))
    )
    require(left in (_AS_IS, _SWAPPED), _PRODUCT, f"perm_x1 must be [0, 1, 2] or [1, 0, 2], got {left}")
    require(right in (_AS_IS, [0, 2, 1]), _PRODUCT, f"perm_x2 must be [0, 1, 2] or [0, 2, 1], got {right}")
    require(result == _SWAPPED, _PRODUCT, f"perm_y must be [1, 0, 2], got {result}")
    first, second = input.permute(left), weight.permute(right)
    require(
        first.shape[0] == second.shape[0] and first.shape[2] == second.shape[1], _PRODUCT, "batches and K must agree"
    )
    limit = input.shape[1] * input.shape[2] if left == _SWAPPED else input.shape[2]
    require(limit < _WIDEST, _PRODUCT, f"the inner dimensions of input must be below {_WIDEST}")
    return torch.bmm(first, second).permute(result).contiguous()


_AS_IS = [0, 1, 2]
_SWAPPED = [1, 0, 2]
