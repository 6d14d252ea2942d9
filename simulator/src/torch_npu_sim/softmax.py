"""Softmax attention of one sequence, and what the fused operators demand of lengths and masks alike."""

from collections.abc import Iterator, Sequence

import torch

from torch_npu_sim.constraints import absent, contiguous, dtype, require

_MASK = (2048, 2048)
RIGHT_DOWN_CAUSAL = 3
BAND = 4


def softmax_attention(
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    scale: float,
    causal: bool,
    before: int | None = None,
    sink: torch.Tensor | None = None,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return attention ([tokens, heads, size]), the maximum of each row and the sum ([tokens, heads]).

    With ``before``, a token sees so many tokens before it and itself. A sink is a score more of each head, of no value.
    """
    group = query.shape[1] // key.shape[1]
    key = key.repeat_interleave(group, 1).float()
    value = value.repeat_interleave(group, 1).float()
    scores = torch.einsum("qhd,khd->qhk", query.float(), key) * scale
    if causal:
        queries, keys = query.shape[0], key.shape[0]
        hidden = torch.ones(queries, keys, dtype=torch.bool).triu_(keys - queries + 1)
        if before is not None:
            hidden |= torch.ones(queries, keys, dtype=torch.bool).tril_(keys - queries - before - 1)
        scores.masked_fill_(hidden[:, None], float("-inf"))
    maximum = scores.amax(-1)
    if sink is not None:
        maximum = torch.maximum(maximum, sink.float())
    weights = torch.exp(scores - maximum[..., None])
    total = weights.sum(-1)
    if sink is not None:
        total = total + torch.exp(sink.float() - maximum)
    output = torch.einsum("qhk,khd->qhd", weights / total[..., None], value)
    return output.to(query.dtype), maximum, total


def spans(operator: str, name: str, ends: Sequence[int], tokens: int) -> Iterator[tuple[int, int]]:
    """Yield the (start, end) of each sequence; ``ends`` are sums of lengths."""
    require(list(ends) == sorted(ends) and all(e >= 0 for e in ends), operator, f"{name} must not decrease")
    require(not ends or ends[-1] <= tokens, operator, f"{name} ends beyond the {tokens} tokens")
    yield from zip([0, *ends[:-1]], ends, strict=True)


def check_mask(
    operator: str,
    mask: torch.Tensor | None,
    sparse_mode: int,
    dtypes: tuple[torch.dtype, ...],
    compressed: tuple[int, ...] = (RIGHT_DOWN_CAUSAL,),
) -> None:
    """Demand no mask of sparse mode 0, and the compressed one of the modes ``compressed``; there are no others."""
    if sparse_mode == 0:
        absent(operator, atten_mask=mask)
        return
    if sparse_mode not in compressed:
        raise NotImplementedError(
            f"the reference implementation of {operator} does not support sparse_mode {sparse_mode}"
        )
    if mask is None or tuple(mask.shape[-2:]) != _MASK or mask.numel() != _MASK[0] * _MASK[1]:
        require(False, operator, f"sparse_mode {sparse_mode} demands a 2048 x 2048 atten_mask")
        return
    dtype(operator, dtypes, atten_mask=mask)
    contiguous(operator, atten_mask=mask)


def check_triangle(operator: str, mask: torch.Tensor | None) -> None:
    """Demand of the values of a compressed mask that they hide the future."""
    if mask is not None:
        corner = mask.reshape(_MASK)[:2, :2].bool().tolist()
        triangle = corner == [[False, True], [False, False]]
        require(triangle, operator, "atten_mask must hide what lies above the diagonal")
