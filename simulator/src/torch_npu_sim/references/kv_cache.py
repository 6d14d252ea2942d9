"""Writing into the paged KV cache: what ``torch_npu/_op_plugin_docs.py`` says of ``npu_scatter_pa_kv_cache``.

The documentation's second scenario is computed: caches [blocks, block_size, heads, size] in ND format. It
takes no tensors that are not contiguous, so that a cache that is a strided part of a larger one is refused.
A slot that is given twice may hold anything afterwards, as the slots of one whole block do that takes more padding
than it has slots. Any other repetition is refused: it cannot be padding.
"""

import torch

from torch_npu_sim.constraints import absent, contiguous, dtype, rank, require, same_dtype
from torch_npu_sim.operators import fake, reference

_OPERATOR = "npu_scatter_pa_kv_cache"
_CONTENT = (
    *(torch.float16, torch.bfloat16, torch.float32, torch.int8, torch.uint8, torch.int16, torch.uint16),
    *(torch.int32, torch.uint32, torch.float8_e5m2, torch.float8_e4m3fn),
)
#: Stands in a slot that was given twice; every dtype has it.
_ANYTHING = 97


def _check(
    key: torch.Tensor,
    value: torch.Tensor,
    key_cache: torch.Tensor,
    value_cache: torch.Tensor,
    slot_mapping: torch.Tensor,
    cache_mode: str | None,
) -> None:
    if cache_mode not in (None, "Norm"):
        raise NotImplementedError(f"the reference implementation of {_OPERATOR} does not support NZ caches")
    tensors = {"key": key, "value": value, "key_cache": key_cache, "value_cache": value_cache}
    contiguous(_OPERATOR, **tensors, slot_mapping=slot_mapping)
    dtype(_OPERATOR, _CONTENT, **tensors)
    same_dtype(_OPERATOR, **tensors)
    rank(_OPERATOR, range(3, 4), key=key, value=value)
    rank(_OPERATOR, range(4, 5), key_cache=key_cache, value_cache=value_cache)
    dtype(_OPERATOR, (torch.int32, torch.int64), slot_mapping=slot_mapping)
    require(key.shape[:2] == value.shape[:2], _OPERATOR, "key and value must have the same tokens and heads")
    require(
        key.shape[1:] == key_cache.shape[2:] and value.shape[1:] == value_cache.shape[2:],
        _OPERATOR,
        "the caches must be [blocks, block_size, heads, size] with the heads and size of key and value",
    )
    require(key_cache.shape[:2] == value_cache.shape[:2], _OPERATOR, "the caches must have the same blocks")
    require(slot_mapping.shape == key.shape[:1], _OPERATOR, "slot_mapping must have one slot a token")


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
    _check(key, value, key_cache, value_cache, slot_mapping, cache_mode)
    last = key_cache.shape[0] * key_cache.shape[1] - 1
    slots = slot_mapping.long()
    inside = bool(((slots >= 0) & (slots <= last)).all())
    require(inside, _OPERATOR, f"slots must lie in [0, {last}]")
    repeated = _repeated(slots, key_cache.shape[1])
    for cache, content in ((key_cache, key), (value_cache, value)):
        stored = cache.view(-1, *content.shape[1:])
        stored[slots] = content
        stored[repeated] = _ANYTHING


def _repeated(slots: torch.Tensor, block_size: int) -> torch.Tensor:
    """Return the slots that are given twice; ConstraintError unless the call fills a block with them."""
    found, times = slots.unique(return_counts=True)
    repeated = found[times > 1]
    blocks = repeated.div(block_size, rounding_mode="floor").unique()
    filled = found.div(block_size, rounding_mode="floor").eq(blocks).sum() if blocks.numel() == 1 else 0
    require(repeated.numel() == 0 or filled == block_size, _OPERATOR, "slots must not repeat")
    return repeated


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
    _check(key, value, key_cache, value_cache, slot_mapping, cache_mode)
