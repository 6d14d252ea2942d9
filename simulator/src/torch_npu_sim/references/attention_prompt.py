"""Attention of whole prompts: what ``torch_npu/_op_plugin_docs.py`` says of ``npu_prompt_flash_attention``.

Packed tokens (TND) and int8 are not computed. The shift is added to what is scaled, as the position bias of an encoder's
attention is, for which it is called; the document has no formula with it. Tokens beyond a given length get zeros.
"""

from collections.abc import Sequence

import torch

from torch_npu_sim.constraints import HALF, absent, contiguous, dtype, rank, require, same_dtype
from torch_npu_sim.operators import fake, reference

_OPERATOR = "npu_prompt_flash_attention"
_LAYOUTS = ("BSH", "BSND", "BNSD", "BNSD_BSND")
_NO_MASK, _LEFT_UP, _RIGHT_DOWN = 0, 2, 3
_ALL = 2147483647


def _by_heads(tensor: torch.Tensor, layout: str, heads: int) -> torch.Tensor:
    """Return [B, N, S, D]."""
    if layout == "BSH":
        require(tensor.shape[2] % heads == 0, _OPERATOR, f"H is {tensor.shape[2]}, no multiple of {heads} heads")
        tensor = tensor.unflatten(2, (heads, -1))
    return tensor if layout.startswith("BNSD") else tensor.transpose(1, 2)


def _laid_out(output: torch.Tensor, layout: str) -> torch.Tensor:
    """Return [B, N, S, D] in the layout of the result."""
    if layout == "BNSD":
        return output
    return output.transpose(1, 2).flatten(2) if layout == "BSH" else output.transpose(1, 2).contiguous()


def _check(
    query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, shift: torch.Tensor | None, layout: str, heads: int,
    kv_heads: int, mode: int,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:  # fmt: skip
    """Return query, key and value as [B, N, S, D], held to what can be told without values."""
    if layout not in _LAYOUTS:
        raise NotImplementedError(f"the reference implementation of {_OPERATOR} does not support the layout {layout}")
    inputs = {"query": query, "key": key, "value": value}
    dtype(_OPERATOR, HALF, **inputs, pse_shift=shift)
    same_dtype(_OPERATOR, **inputs, pse_shift=shift)
    contiguous(_OPERATOR, **inputs, pse_shift=shift)
    dimensions = 3 if layout == "BSH" else 4
    rank(_OPERATOR, range(dimensions, dimensions + 1), **inputs)
    require(heads <= 256, _OPERATOR, f"at most 256 heads, got {heads}")
    require(heads % kv_heads == 0, _OPERATOR, f"num_heads {heads} must be a multiple of num_key_value_heads {kv_heads}")
    require(heads // kv_heads <= 64, _OPERATOR, "at most 64 heads of queries for one of keys")
    queries = _by_heads(query, layout, heads)
    keys, values = _by_heads(key, layout, kv_heads), _by_heads(value, layout, kv_heads)
    require(queries.shape[1] == heads, _OPERATOR, f"query has {queries.shape[1]} heads, num_heads is {heads}")
    require(keys.shape[1] == kv_heads, _OPERATOR, f"key has {keys.shape[1]} heads, num_key_value_heads is {kv_heads}")
    require(keys.shape == values.shape, _OPERATOR, "key and value must have one shape")
    size = queries.shape[-1]
    require(keys.shape[-1] == size and len(keys) == len(queries), _OPERATOR, "query and key must agree in B and D")
    require(size <= 512, _OPERATOR, f"D must be at most 512, got {size}")
    require(size % 16 == 0 or size <= 128, _OPERATOR, f"D must be at most 128 or a multiple of 16, got {size}")
    require(len(queries) <= 65536, _OPERATOR, f"B must be at most 65536, got {len(queries)}")
    narrow = not layout.startswith("BS") or heads * size < 65535
    require(narrow, _OPERATOR, f"N * D must be below 65535 in {layout}, got {heads * size}")
    if shift is not None:
        wanted = (heads, queries.shape[2], keys.shape[2])
        fits = shift.dim() == 4 and shift.shape[1:] == wanted and shift.shape[0] in (1, len(queries))
        require(fits, _OPERATOR, f"pse_shift must be (B or 1, {wanted}), got {tuple(shift.shape)}")
    if mode not in (_NO_MASK, _LEFT_UP, _RIGHT_DOWN):
        raise NotImplementedError(f"the reference implementation of {_OPERATOR} does not support sparse_mode {mode}")
    return queries, keys, values


def _hidden(mask: torch.Tensor | None, mode: int, queries: int, keys: int) -> torch.Tensor:
    """Return what is hidden of which query, [B or 1, 1, queries, keys]."""
    dtype(_OPERATOR, (torch.bool, torch.int8, torch.uint8), atten_mask=mask)
    contiguous(_OPERATOR, atten_mask=mask)
    if mode == _NO_MASK:
        if mask is None:
            return torch.zeros(1, 1, queries, keys, dtype=torch.bool)
        whole = mask.dim() in (2, 3, 4) and tuple(mask.shape[-2:]) == (queries, keys)
        require(whole, _OPERATOR, f"atten_mask must be (..., {queries}, {keys}), got {tuple(mask.shape)}")
        return mask.bool().reshape(-1, 1, queries, keys)
    compressed = mask is not None and tuple(mask.shape[-2:]) == (2048, 2048) and mask.numel() == 2048 * 2048
    require(compressed, _OPERATOR, f"sparse_mode {mode} demands a 2048 x 2048 atten_mask")
    first = 1 if mode == _LEFT_UP else keys - queries + 1
    return torch.ones(queries, keys, dtype=torch.bool).triu_(first)[None, None]


def _lengths(name: str, given: Sequence[int] | None, batch: int, longest: int) -> list[int]:
    """Return the tokens of each sequence of the batch that count."""
    if not given:
        return [longest] * batch
    require(len(given) == 1 or len(given) >= batch, _OPERATOR, f"{name} must have 1 entry or {batch}")
    lengths = [given[0]] * batch if len(given) == 1 else list(given[:batch])
    require(all(0 <= each <= longest for each in lengths), _OPERATOR, f"{name} must not exceed S, {longest}")
    return lengths


@reference(_OPERATOR)
def npu_prompt_flash_attention(
    query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, *, padding_mask: torch.Tensor | None = None,
    atten_mask: torch.Tensor | None = None, pse_shift: torch.Tensor | None = None,
    actual_seq_lengths: Sequence[int] | None = None, deq_scale1: torch.Tensor | None = None,
    quant_scale1: torch.Tensor | None = None, deq_scale2: torch.Tensor | None = None,
    quant_scale2: torch.Tensor | None = None, quant_offset2: torch.Tensor | None = None, num_heads: int = 1,
    scale_value: float = 1.0, pre_tokens: int = _ALL, next_tokens: int = 0, input_layout: str = "BSH",
    num_key_value_heads: int = 0, actual_seq_lengths_kv: Sequence[int] | None = None, sparse_mode: int = 0,
) -> torch.Tensor:  # fmt: skip
    """Return the attention of each sequence of the batch over its own keys."""
    absent(_OPERATOR, padding_mask=padding_mask, deq_scale1=deq_scale1, quant_scale1=quant_scale1)
    absent(_OPERATOR, deq_scale2=deq_scale2, quant_scale2=quant_scale2, quant_offset2=quant_offset2)
    if sparse_mode == _NO_MASK and atten_mask is not None and (pre_tokens, next_tokens) != (_ALL, 0):
        raise NotImplementedError(f"the reference implementation of {_OPERATOR} does not support a band")
    queries, keys, values = _check(
        query, key, value, pse_shift, input_layout, num_heads, num_key_value_heads or num_heads, sparse_mode
    )
    batch, heads, length, _ = queries.shape
    output = torch.zeros_like(queries)
    of_queries = _lengths("actual_seq_lengths", actual_seq_lengths, batch, length)
    of_keys = _lengths("actual_seq_lengths_kv", actual_seq_lengths_kv, batch, keys.shape[2])
    hidden = _hidden(atten_mask, sparse_mode, length, keys.shape[2])
    for at, (rows, columns) in enumerate(zip(of_queries, of_keys, strict=True)):
        if not rows or not columns:
            continue
        seen, shared = (each[at, :, :columns].repeat_interleave(heads // each.shape[1], 0) for each in (keys, values))
        scores = queries[at, :, :rows].float() @ seen.float().transpose(1, 2) * scale_value
        if pse_shift is not None:
            scores += pse_shift[at % len(pse_shift), :, :rows, :columns].float()
        # A causal mask ends with the tokens of the sequence, not of the longest one.
        of_it = _hidden(atten_mask, sparse_mode, rows, columns) if sparse_mode else hidden[at % len(hidden)][None]
        scores.masked_fill_(of_it[0, :, :rows, :columns], float("-inf"))
        output[at, :, :rows] = (scores.softmax(-1).nan_to_num(0) @ shared.float()).to(output.dtype)
    return _laid_out(output, input_layout)


@fake(_OPERATOR)
def npu_prompt_flash_attention_fake(
    query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, *, padding_mask: torch.Tensor | None = None,
    atten_mask: torch.Tensor | None = None, pse_shift: torch.Tensor | None = None,
    actual_seq_lengths: Sequence[int] | None = None, deq_scale1: torch.Tensor | None = None,
    quant_scale1: torch.Tensor | None = None, deq_scale2: torch.Tensor | None = None,
    quant_scale2: torch.Tensor | None = None, quant_offset2: torch.Tensor | None = None, num_heads: int = 1,
    scale_value: float = 1.0, pre_tokens: int = _ALL, next_tokens: int = 0, input_layout: str = "BSH",
    num_key_value_heads: int = 0, actual_seq_lengths_kv: Sequence[int] | None = None, sparse_mode: int = 0,
) -> torch.Tensor:  # fmt: skip
    """Return a tensor like the attention."""
    checked = _check(
        query, key, value, pse_shift, input_layout, num_heads, num_key_value_heads or num_heads, sparse_mode
    )
    return _laid_out(torch.empty_like(checked[0], memory_format=torch.contiguous_format), input_layout)
