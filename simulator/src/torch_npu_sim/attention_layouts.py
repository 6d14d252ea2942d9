"""Layouts of queries, results and paged caches, turned into packed tokens and back.

A layout names dimensions: batch B, sequence S, packed tokens T, heads N, size D, and H for N * D. Two names, as in
``BNSD_NBSD``, are those of the query and of the result.
"""

import torch

#: What each layout of one batch with a sequence dimension is, as a permutation of [B, S, N, D].
_ORDERS = {"BSND": (0, 1, 2, 3), "BNSD": (0, 2, 1, 3), "NBSD": (2, 0, 1, 3)}
LAYOUTS = ("TND", "BSH", "BSND", "BNSD", "BNSD_BSND", "BNSD_NBSD", "BSND_NBSD", "BSH_NBSD")
#: Columns of a part in NZ format.
_PART = 16


def batch_and_length(query: torch.Tensor, layout: str) -> tuple[int, int]:
    """Return B and S of a query that is not packed."""
    first = layout.partition("_")[0]
    return query.shape[0], query.shape[2 if first == "BNSD" else 1]


def packed(query: torch.Tensor, layout: str, heads: int) -> torch.Tensor:
    """Return the query as [B * S, N, D]; packed tokens stay as they are."""
    first = layout.partition("_")[0]
    if first == "TND":
        return query
    if first == "BSH":
        return query.reshape(query.shape[0] * query.shape[1], heads, -1)
    order = _ORDERS[first]
    return query.permute([order.index(place) for place in range(4)]).flatten(0, 1)


def unpacked(rows: torch.Tensor, layout: str, batch: int, length: int) -> torch.Tensor:
    """Return [B * S, N, D] in the layout of the result."""
    last = layout.rpartition("_")[2]
    if last == "TND":
        return rows
    if last == "BSH":
        return rows.reshape(batch, length, -1)
    return rows.view(batch, length, *rows.shape[1:]).permute(_ORDERS[last]).contiguous()


def cache_sizes(cache: torch.Tensor) -> tuple[int, int, int]:
    """Return blocks, tokens a block and width of a cache.

    It is [blocks, tokens, H], [blocks, N, tokens, D], or in NZ format [blocks, N, D / 16, tokens, 16].
    """
    if cache.dim() == 3:
        blocks, tokens, width = cache.shape
        return blocks, tokens, width
    tokens = cache.shape[-2]
    return cache.shape[0], tokens, cache.shape[1] * cache.shape[-1] * (cache.shape[2] if cache.dim() == 5 else 1)


def cached_tokens(cache: torch.Tensor, used: torch.Tensor, heads: int) -> torch.Tensor:
    """Return the tokens of the blocks ``used`` as [tokens, N, D]."""
    blocks = cache[used]
    if blocks.dim() == 4:
        blocks = blocks.transpose(1, 2)
    elif blocks.dim() == 5:
        assert blocks.shape[-1] == _PART
        blocks = blocks.permute(0, 3, 1, 2, 4)
    return blocks.reshape(blocks.shape[0] * blocks.shape[1], heads, -1)
