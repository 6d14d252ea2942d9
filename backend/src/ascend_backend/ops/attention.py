"""Fused attention operators."""

import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import torch
import torch_npu
from torch.nn.functional import pad

from ascend_backend.ops import host_values

#: Side of the compressed causal mask that sparse modes 2 to 4 demand.
_MASK_SIZE = 2048
_RIGHT_DOWN_CAUSAL = 3
_BAND = 4
_UNBOUNDED = 2147483647
_NO_MASK = 0
#: The width of heads beside rotated parts, where keys do not lie in a cache.
_ROTATED_WIDTH = 128
_WITH_LSE = 1
#: Packed sequences of one call without a cache: one sentence of the documentation says 2048, the next one 1024.
_SEQUENCES = 1024


@functools.cache
def _causal_mask(device: torch.device) -> torch.Tensor:
    return torch.ones(_MASK_SIZE, _MASK_SIZE, dtype=torch.int8, device=device).triu_(1)


def paged_attention(
    query: torch.Tensor,
    key_cache: torch.Tensor,
    value_cache: torch.Tensor,
    *,
    query_ends: list[int],
    context_lengths: list[int],
    block_table: torch.Tensor,
    num_kv_heads: int,
    scale: float,
    causal: bool,
    window: "WindowedRows | None" = None,
) -> torch.Tensor:
    """Return the attention of ``query`` ([tokens, heads, size]) over the paged cache.

    The caches are [blocks, block_size, kv_heads, size]. Request i owns the tokens up to ``query_ends[i]``
    and sees ``context_lengths[i]`` keys, its own tokens included; with a ``window`` of the same batch, which
    attention must be causal for, a token sees so many of the last ones.
    """
    if window is not None:
        query, query_ends = query.index_select(0, window.rows), window.query_ends
    common = {"num_key_value_heads": num_kv_heads, "scale": scale, "window": None if window is None else window.size}
    caches = key_cache.flatten(2), value_cache.flatten(2)
    if packs(query.dtype):
        output = _paged(
            query.contiguous(),
            *caches,
            block_table,
            context_lengths,
            causal=causal,
            input_layout="TND",
            actual_seq_lengths=query_ends,
            **common,
        )
    else:
        parts = []
        for batch in _batches(query_ends):
            rows, requests = batch.tokens, batch.requests
            part = _paged(
                query[rows].reshape(-1, batch.length, *query.shape[1:]).contiguous(),
                *caches,
                block_table[requests],
                context_lengths[requests],
                causal=causal and batch.length > 1,
                input_layout="BSND",
                **common,
            )
            parts.append(part.flatten(0, 1))
        output = torch.cat(parts) if len(parts) > 1 else parts[0]
    if window is not None:
        output = output.index_select(0, window.kept)
    return output


def packs(dtype: torch.dtype) -> bool:
    """Return whether packed queries are sent: those of float16 the operator does not document.

    They go as batches of requests that have as many tokens each.
    """
    return dtype != torch.float16


def _paged(
    query: torch.Tensor,
    key_cache: torch.Tensor,
    value_cache: torch.Tensor,
    block_table: torch.Tensor,
    context_lengths: list[int],
    *,
    causal: bool,
    window: int | None,
    **layout: Any,
) -> torch.Tensor:
    output, _ = torch_npu.npu_fused_infer_attention_score(
        query,
        key_cache,
        value_cache,
        atten_mask=_causal_mask(query.device) if causal else None,
        actual_seq_lengths_kv=context_lengths,
        block_table=block_table,
        num_heads=query.shape[-2],
        sparse_mode=_NO_MASK if not causal else _RIGHT_DOWN_CAUSAL if window is None else _BAND,
        pre_tokens=_UNBOUNDED if window is None else window - 1,
        next_tokens=_UNBOUNDED if window is None else 0,
        block_size=key_cache.shape[1],
        **layout,
    )
    return output


@dataclass(frozen=True)
class _Batch:
    """Neighbouring requests of as many query tokens each."""

    length: int
    tokens: slice
    requests: slice


def _batches(query_ends: Sequence[int]) -> Iterator[_Batch]:
    """Yield the batches of a step; in one of decoding it is a single one."""
    lengths = [end - start for start, end in zip((0, *query_ends), query_ends, strict=False)]
    request = token = 0
    for length, group in groupby(lengths):
        count = len(list(group))
        if length:
            yield _Batch(length, slice(token, token + count * length), slice(request, request + count))
        request, token = request + count, token + count * length


@dataclass(frozen=True)
class WindowedRows:
    """Which rows of a batch's query the operator gets for a window, and which of its output count."""

    size: int
    rows: torch.Tensor
    query_ends: list[int]
    kept: torch.Tensor


def windowed_rows(query_ends: list[int], context_lengths: list[int], window: int, device: torch.device) -> WindowedRows:
    """Return the rows with which the operator keeps to a window, for all layers that have it.

    The operator documents that ``pre_tokens`` has no effect on a request of one query token: such a token, if
    its context is longer than the window, is sent twice, and what comes back for the first is dropped.
    """
    rows: list[int] = []
    ends: list[int] = []
    kept: list[int] = []
    start = 0
    for end, length in zip(query_ends, context_lengths, strict=True):
        if end - start == 1 and length > window:
            rows.append(start)
        kept.extend(range(len(rows), len(rows) + end - start))
        rows.extend(range(start, end))
        ends.append(len(rows))
        start = end
    return WindowedRows(window, host_values.on_device(rows, device), ends, host_values.on_device(kept, device))


def paged_latent_attention(
    query_nope: torch.Tensor,
    query_rope: torch.Tensor,
    latent_cache: torch.Tensor,
    rope_cache: torch.Tensor,
    *,
    query_ends: list[int],
    context_lengths: list[int],
    block_table: torch.Tensor,
    scale: float,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return multi-query attention over a paged latent cache, and its log-sum-exp ([tokens, heads]).

    The latent serves as key and as value; the rotated parts of query and key stand apart. The caches are
    [blocks, block_size, 1, size]. With one query token a request the operator takes no mask, with several it
    demands one.
    """
    latent = latent_cache.flatten(2)
    starts = (0, *query_ends)
    causal = any(end - start > 1 for start, end in zip(starts, query_ends, strict=False))
    return _with_rotated_parts(
        (query_nope.contiguous(), latent, latent),
        (query_rope.contiguous(), rope_cache.flatten(2)),
        causal=causal,
        actual_seq_qlen=query_ends,
        actual_seq_kvlen=context_lengths,
        block_table=block_table,
        num_key_value_heads=1,
        softmax_scale=scale,
        block_size=latent_cache.shape[1],
    )


def rotated_attention(
    query_nope: torch.Tensor,
    query_rope: torch.Tensor,
    key_nope: torch.Tensor,
    key_rope: torch.Tensor,
    value: torch.Tensor,
    *,
    query_ends: list[int],
    key_ends: list[int],
    scale: float,
    causal: bool,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return attention over packed sequences whose rotated parts stand apart, and its log-sum-exp ([tokens, heads]).

    All are [tokens, heads, size]; sequence i ends at ``query_ends[i]`` and ``key_ends[i]``. The operator takes
    heads of one width, which narrower ones are filled up to with zeros: they change no product.
    """

    def filled(tensor: torch.Tensor) -> torch.Tensor:
        return pad(tensor, (0, max(0, _ROTATED_WIDTH - tensor.shape[-1]))).contiguous()

    output, lse = _with_rotated_parts(
        (filled(query_nope), filled(key_nope), filled(value)),
        (query_rope.contiguous(), key_rope.contiguous()),
        causal=causal,
        actual_seq_qlen=query_ends,
        actual_seq_kvlen=key_ends,
        num_key_value_heads=key_nope.shape[1],
        softmax_scale=scale,
    )
    return output[..., : value.shape[-1]], lse


def _with_rotated_parts(
    inputs: tuple[torch.Tensor, torch.Tensor, torch.Tensor],
    rotated: tuple[torch.Tensor, torch.Tensor],
    *,
    causal: bool,
    **where: Any,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return attention of packed query, key and value with the rotated parts of the first two, and its log-sum-exp."""
    query, key, value = inputs
    query_rope, key_rope = rotated
    output, lse = torch_npu.npu_fused_infer_attention_score_v2(
        query,
        key,
        value,
        query_rope=query_rope,
        key_rope=key_rope,
        atten_mask=_causal_mask(query.device) if causal else None,
        num_query_heads=query.shape[1],
        input_layout="TND",
        sparse_mode=_RIGHT_DOWN_CAUSAL if causal else _NO_MASK,
        return_softmax_lse=True,
        **where,
    )
    return output, lse.squeeze(-1)


def merge(parts: Sequence[tuple[torch.Tensor, torch.Tensor]]) -> tuple[torch.Tensor, torch.Tensor]:
    """Return attention to all keys, and its log-sum-exp, from that to parts of the keys.

    An output is [tokens, heads, size], a log-sum-exp [tokens, heads].
    """
    output, lse = parts[0]
    merged, merged_lse = torch_npu.npu_attention_update(
        [lse.reshape(-1) for _, lse in parts],
        [output.reshape(-1, output.shape[-1]) for output, _ in parts],
        _WITH_LSE,
    )
    return merged.view(output.shape), merged_lse.view(lse.shape)


def varlen_attention(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    *,
    query_ends: list[int],
    key_ends: list[int],
    scale: float,
    causal: bool,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return attention over packed sequences, and its log-sum-exp ([tokens, heads]).

    Query, key and value are [tokens, heads, size]; sequence i ends at ``query_ends[i]`` and ``key_ends[i]``.
    """
    parts, query_start, key_start = [], 0, 0
    for first in range(0, len(query_ends), _SEQUENCES):
        of_queries, of_keys = (ends[first : first + _SEQUENCES] for ends in (query_ends, key_ends))
        queries, keys = slice(query_start, of_queries[-1]), slice(key_start, of_keys[-1])
        parts.append(
            _packed_attention(
                query[queries],
                key[keys],
                value[keys],
                query_ends=[end - query_start for end in of_queries],
                key_ends=[end - key_start for end in of_keys],
                scale=scale,
                causal=causal,
            )
        )
        query_start, key_start = queries.stop, keys.stop
    if len(parts) == 1:
        return parts[0]
    return torch.cat([output for output, _ in parts]), torch.cat([lse for _, lse in parts])


def _packed_attention(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    *,
    query_ends: list[int],
    key_ends: list[int],
    scale: float,
    causal: bool,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the same of so many sequences as the operator takes."""
    mask = torch.ones(_MASK_SIZE, _MASK_SIZE, dtype=torch.bool, device=query.device).triu_(1) if causal else None
    output, maximum, total, *_ = torch_npu.npu_fusion_attention(
        query,
        key,
        value,
        query.shape[1],
        "TND",
        atten_mask=mask,
        scale=scale,
        actual_seq_qlen=query_ends,
        actual_seq_kvlen=key_ends,
        sparse_mode=_RIGHT_DOWN_CAUSAL if causal else _NO_MASK,
        softmax_layout="TND",
    )
    # The operator repeats the maximum and the sum eight times in the last dimension.
    lse = maximum[..., 0] + total[..., 0].log()
    return output, lse
