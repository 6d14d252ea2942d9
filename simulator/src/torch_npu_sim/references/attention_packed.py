"""Attention over packed sequences: what ``torch_npu/_op_plugin_docs.py`` says of ``npu_fusion_attention``.

It is documented for training alone, and not for graphs.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from torch_npu_sim.constraints import FLOAT, absent, dtype, rank, require, same_dtype
from torch_npu_sim.operators import fake, reference
from torch_npu_sim.softmax import (
    RIGHT_DOWN_CAUSAL,
    check_mask,
    check_triangle,
    softmax_attention,
    spans,
)

_OPERATOR = "npu_fusion_attention"
#: The operator repeats the maximum and the sum of a row so many times.
_REPEATED = 8


@dataclass(frozen=True)
class _Call:
    """The arguments of a call of packed sequences without dropout."""

    query: torch.Tensor
    key: torch.Tensor
    value: torch.Tensor
    mask: torch.Tensor | None
    scale: float
    query_ends: Sequence[int]
    key_ends: Sequence[int]
    sparse_mode: int


def _checked(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    head_num: int,
    input_layout: str,
    pse: torch.Tensor | None = None,
    padding_mask: torch.Tensor | None = None,
    atten_mask: torch.Tensor | None = None,
    scale: float = 1.0,
    keep_prob: float = 1.0,
    pre_tockens: int = 2147483647,
    next_tockens: int = 2147483647,
    inner_precise: int = 0,
    prefix: Sequence[int] | None = None,
    actual_seq_qlen: Sequence[int] | None = None,
    actual_seq_kvlen: Sequence[int] | None = None,
    sparse_mode: int = 0,
    gen_mask_parallel: bool = True,
    sync: bool = False,
    softmax_layout: str = "",
    sink: torch.Tensor | None = None,
) -> _Call:
    """Return the call by the operator's schema, held to what can be told without values of tensors."""
    absent(_OPERATOR, pse=pse, padding_mask=padding_mask, prefix=prefix, sink=sink)
    if input_layout != "TND" or softmax_layout != "TND" or keep_prob != 1.0:
        raise NotImplementedError(f"the reference implementation of {_OPERATOR} supports TND without dropout alone")
    dtype(_OPERATOR, FLOAT, query=query, key=key, value=value)
    same_dtype(_OPERATOR, query=query, key=key, value=value)
    rank(_OPERATOR, range(3, 4), query=query, key=key, value=value)
    heads, size = query.shape[1:]
    require(heads == head_num, _OPERATOR, f"query has {heads} heads, head_num is {head_num}")
    require(heads <= 256, _OPERATOR, f"N must be at most 256, got {heads}")
    require(heads % key.shape[1] == 0, _OPERATOR, "head_num must be a multiple of the kv heads")
    require(key.shape[:2] == value.shape[:2], _OPERATOR, "key and value must have the same tokens and heads")
    require(key.shape[2] == size, _OPERATOR, "query and key must have one D")
    require(1 <= value.shape[2] <= size <= 768, _OPERATOR, "D must be at most 768, and that of value no more")
    if actual_seq_qlen is None or actual_seq_kvlen is None:
        require(False, _OPERATOR, "TND demands actual_seq_qlen and actual_seq_kvlen")
        raise AssertionError
    sequences = len(actual_seq_qlen)
    require(sequences == len(actual_seq_kvlen), _OPERATOR, "queries and keys must be of as many sequences")
    require(sequences <= 2048, _OPERATOR, f"there must be at most 2048 sequences, got {sequences}")
    check_mask(_OPERATOR, atten_mask, sparse_mode, (torch.bool, torch.uint8))
    return _Call(query, key, value, atten_mask, scale, actual_seq_qlen, actual_seq_kvlen, sparse_mode)


@reference(_OPERATOR)
def npu_fusion_attention(
    *arguments: Any, **keywords: Any
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, int, int, int]:
    """Return attention over packed sequences, the maxima and the sums ([tokens, heads, 8]), and seeds."""
    call = _checked(*arguments, **keywords)
    check_triangle(_OPERATOR, call.mask)
    query, key, value = call.query, call.key, call.value
    output = query.new_zeros(*query.shape[:2], value.shape[-1])
    maximum = query.new_zeros(*query.shape[:2], dtype=torch.float32)
    total = torch.ones_like(maximum)
    queries = spans(_OPERATOR, "actual_seq_qlen", call.query_ends, len(query))
    keys = spans(_OPERATOR, "actual_seq_kvlen", call.key_ends, len(key))
    causal = call.sparse_mode == RIGHT_DOWN_CAUSAL
    for (start, end), (key_start, key_end) in zip(queries, keys, strict=True):
        if start == end or key_start == key_end:
            continue
        output[start:end], maximum[start:end], total[start:end] = softmax_attention(
            query[start:end], key[key_start:key_end], value[key_start:key_end], call.scale, causal
        )
    repeated = (*maximum.shape, _REPEATED)
    return (
        output,
        maximum[..., None].expand(repeated).contiguous(),
        total[..., None].expand(repeated).contiguous(),
        query.new_zeros(0),
        *(0, 0, 0),
    )


@fake(_OPERATOR)
def npu_fusion_attention_fake(
    *arguments: Any, **keywords: Any
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, int, int, int]:
    """Return tensors of the shapes of the attention, the maxima and the sums."""
    call = _checked(*arguments, **keywords)
    tokens, heads = call.query.shape[:2]
    rows = [call.query.new_empty(tokens, heads, _REPEATED, dtype=torch.float32) for _ in range(2)]
    return (call.query.new_empty(tokens, heads, call.value.shape[-1]), *rows, call.query.new_empty(0), 0, 0, 0)
