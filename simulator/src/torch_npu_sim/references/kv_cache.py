"""Writing into the paged KV cache: what ``torch_npu/_op_plugin_docs.py`` says of ``npu_scatter_pa_kv_cache``.

Computed are the documentation's second scenario, caches [blocks, block_size, heads, size] in ND format, and the first,
[blocks, heads * size // 16, block_size, 16] in NZ. It takes no tensors that are not contiguous, and no slot below 0;
devices take strided caches, and leave tokens with slot -1 out (see ``strictness/exceptions.yaml``).
A slot that is given twice may hold anything afterwards, as the slots of one whole block do that takes more padding
than it has slots. Any other repetition is refused: it cannot be padding.

``_npu_reshape_and_cache`` of ATB is not documented: it is held to the same. So is vllm-ascend's own operator, whose
caches may have their heads before the tokens of a block (``scatter_mode`` NHSD).
"""

import torch

from torch_npu_sim.constraints import absent, contiguous, dtype, rank, require, same_dtype, tolerated, within
from torch_npu_sim.operators import fake, reference

_OPERATOR = "npu_scatter_pa_kv_cache"
_ATB = "_npu_reshape_and_cache"
_OWN = "_C_ascend::npu_scatter_pa_kv_cache"

_CONTENT = (
    *(torch.float16, torch.bfloat16, torch.float32, torch.int8, torch.uint8, torch.int16, torch.uint16),
    *(torch.int32, torch.uint32, torch.float8_e5m2, torch.float8_e4m3fn),
)
#: Stands in a slot that was given twice; every dtype has it.
_ANYTHING = 97
#: Columns of a part in NZ format.
_PART = 16


def _check(
    operator: str,
    key: torch.Tensor,
    value: torch.Tensor,
    key_cache: torch.Tensor,
    value_cache: torch.Tensor,
    slot_mapping: torch.Tensor,
) -> None:
    """Demand what holds of every layout of the caches."""
    tensors = {"key": key, "value": value, "key_cache": key_cache, "value_cache": value_cache}
    strided = {"key_cache", "value_cache"} if tolerated(_OPERATOR, "strided caches") else set()
    whole = {name: tensor for name, tensor in tensors.items() if name not in strided}
    contiguous(operator, **whole, slot_mapping=slot_mapping)
    dtype(operator, _CONTENT, **tensors)
    same_dtype(operator, **tensors)
    rank(operator, range(3, 4), key=key, value=value)
    rank(operator, range(4, 5), key_cache=key_cache, value_cache=value_cache)
    dtype(operator, (torch.int32, torch.int64), slot_mapping=slot_mapping)
    require(key.shape[:2] == value.shape[:2], operator, "key and value must have the same tokens and heads")
    require(slot_mapping.shape == key.shape[:1], operator, "slot_mapping must have one slot a token")


def _in_rows(operator: str, key: torch.Tensor, value: torch.Tensor, *caches: torch.Tensor) -> list[torch.Tensor]:
    """Return the caches, which are [blocks, block_size, heads, size]."""
    key_cache, value_cache = caches
    require(
        key.shape[1:] == key_cache.shape[2:] and value.shape[1:] == value_cache.shape[2:],
        operator,
        "the caches must be [blocks, block_size, heads, size] with the heads and size of key and value",
    )
    require(key_cache.shape[:2] == value_cache.shape[:2], operator, "the caches must have the same blocks")
    return list(caches)


def _in_parts(operator: str, key: torch.Tensor, value: torch.Tensor, *caches: torch.Tensor) -> list[torch.Tensor]:
    """Return the caches, which are in NZ format, as [blocks, block_size, parts, 16]."""
    for content, cache in zip((key, value), caches, strict=True):
        parts = content.shape[1] * content.shape[2] // _PART
        fits = (cache.shape[1], cache.shape[3]) == (parts, _PART)
        require(fits, operator, f"a cache in NZ format must be [blocks, {parts}, block_size, {_PART}]")
    key_cache, value_cache = (cache.transpose(1, 2) for cache in caches)
    require(key_cache.shape[:2] == value_cache.shape[:2], operator, "the caches must have the same blocks")
    return [key_cache, value_cache]


def _store(operator: str, contents: list[torch.Tensor], caches: list[torch.Tensor], slot_mapping: torch.Tensor) -> None:
    """Write each token's key and value into its slot of the caches ([blocks, block_size, …])."""
    block_size = caches[0].shape[1]
    last = caches[0].shape[0] * block_size - 1
    slots = slot_mapping.long()
    if tolerated(_OPERATOR, "a slot of -1"):
        kept = slots != -1
        slots, contents = slots[kept], [content[kept] for content in contents]
    within(operator, 0, last, slots=slots)
    repeated = _repeated(operator, slots, block_size)
    for cache, content in zip(caches, contents, strict=True):
        cache[slots // block_size, slots % block_size] = content.reshape(-1, *cache.shape[2:])
        cache[repeated // block_size, repeated % block_size] = _ANYTHING


def _repeated(operator: str, slots: torch.Tensor, block_size: int) -> torch.Tensor:
    """Return the slots that are given twice; ConstraintError unless the call fills a block with them."""
    found, times = slots.unique(return_counts=True)
    repeated = found[times > 1]
    blocks = repeated.div(block_size, rounding_mode="floor").unique()
    filled = found.div(block_size, rounding_mode="floor").eq(blocks).sum() if blocks.numel() == 1 else 0
    require(repeated.numel() == 0 or filled == block_size, operator, "slots must not repeat")
    return repeated


def _checked_caches(
    key: torch.Tensor,
    value: torch.Tensor,
    key_cache: torch.Tensor,
    value_cache: torch.Tensor,
    slot_mapping: torch.Tensor,
    cache_mode: str | None,
) -> list[torch.Tensor]:
    require(
        cache_mode in (None, "Norm", "PA_NZ"), _OPERATOR, f"cache_mode must be 'Norm' or 'PA_NZ', got {cache_mode!r}"
    )
    _check(_OPERATOR, key, value, key_cache, value_cache, slot_mapping)
    arranged = _in_parts if cache_mode == "PA_NZ" else _in_rows
    return arranged(_OPERATOR, key, value, key_cache, value_cache)


@reference(_OPERATOR)
def npu_scatter_pa_kv_cache(
    key: torch.Tensor,
    value: torch.Tensor,
    key_cache: torch.Tensor,
    value_cache: torch.Tensor,
    slot_mapping: torch.Tensor,
    *,
    compress_lens: torch.Tensor | None = None,
    compress_seq_offsets: torch.Tensor | None = None,
    seq_lens: torch.Tensor | None = None,
    cache_mode: str | None = "PA_NZ",
) -> None:
    """Write each token's key and value into its slot."""
    absent(_OPERATOR, compress_lens=compress_lens, compress_seq_offsets=compress_seq_offsets, seq_lens=seq_lens)
    caches = _checked_caches(key, value, key_cache, value_cache, slot_mapping, cache_mode)
    _store(_OPERATOR, [key, value], caches, slot_mapping)


@fake(_OPERATOR)
def npu_scatter_pa_kv_cache_fake(
    key: torch.Tensor,
    value: torch.Tensor,
    key_cache: torch.Tensor,
    value_cache: torch.Tensor,
    slot_mapping: torch.Tensor,
    *,
    compress_lens: torch.Tensor | None = None,
    compress_seq_offsets: torch.Tensor | None = None,
    seq_lens: torch.Tensor | None = None,
    cache_mode: str | None = "PA_NZ",
) -> None:
    """Return nothing: the caches are written in place."""
    absent(_OPERATOR, compress_lens=compress_lens, compress_seq_offsets=compress_seq_offsets, seq_lens=seq_lens)
    _checked_caches(key, value, key_cache, value_cache, slot_mapping, cache_mode)


@reference(_ATB)
def npu_reshape_and_cache(
    key: torch.Tensor,
    value: torch.Tensor,
    key_cache: torch.Tensor,
    value_cache: torch.Tensor,
    slot_indices: torch.Tensor,
) -> None:
    """Write each token's key and value into its slot."""
    _check(_ATB, key, value, key_cache, value_cache, slot_indices)
    _store(_ATB, [key, value], _in_rows(_ATB, key, value, key_cache, value_cache), slot_indices)


@fake(_ATB)
def npu_reshape_and_cache_fake(
    key: torch.Tensor,
    value: torch.Tensor,
    key_cache: torch.Tensor,
    value_cache: torch.Tensor,
    slot_indices: torch.Tensor,
) -> None:
    """Return nothing: the caches are written in place."""
    _check(_ATB, key, value, key_cache, value_cache, slot_indices)
    _in_rows(_ATB, key, value, key_cache, value_cache)


def _own_caches(
    key: torch.Tensor,
    value: torch.Tensor,
    key_cache: torch.Tensor,
    value_cache: torch.Tensor,
    slot_mapping: torch.Tensor,
    cache_mode: str,
    scatter_mode: str,
) -> list[torch.Tensor]:
    require(cache_mode == "Norm", _OWN, f"cache_mode must be 'Norm', got {cache_mode!r}")
    require(scatter_mode in ("None", "NHSD"), _OWN, f"scatter_mode must be 'None' or 'NHSD', got {scatter_mode!r}")
    _check(_OWN, key, value, key_cache, value_cache, slot_mapping)
    caches = [key_cache, value_cache]
    if scatter_mode == "NHSD":
        caches = [cache.transpose(1, 2) for cache in caches]
    return _in_rows(_OWN, key, value, *caches)


@reference(_OWN)
def npu_scatter_pa_kv_cache_by_heads(
    key: torch.Tensor,
    value: torch.Tensor,
    key_cache: torch.Tensor,
    value_cache: torch.Tensor,
    slot_mapping: torch.Tensor,
    *,
    cache_mode: str = "Norm",
    scatter_mode: str = "None",
) -> None:
    """Write each token's key and value into its slot."""
    caches = _own_caches(key, value, key_cache, value_cache, slot_mapping, cache_mode, scatter_mode)
    _store(_OWN, [key, value], caches, slot_mapping)


@fake(_OWN)
def npu_scatter_pa_kv_cache_by_heads_fake(
    key: torch.Tensor,
    value: torch.Tensor,
    key_cache: torch.Tensor,
    value_cache: torch.Tensor,
    slot_mapping: torch.Tensor,
    *,
    cache_mode: str = "Norm",
    scatter_mode: str = "None",
) -> None:
    """Return nothing: the caches are written in place."""
    _own_caches(key, value, key_cache, value_cache, slot_mapping, cache_mode, scatter_mode)
