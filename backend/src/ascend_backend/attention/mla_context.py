"""What prompts have in the latent cache already, in chunks that are brought out of the latent space one at a time.

Outside the latent space a token has keys and values of every head, so that a long context is not brought out at
once. A chunk holds parts of the contexts of neighbouring requests. What the queries see of each chunk is merged by
the log-sum-exp of its weights.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

import torch

from ascend_backend.ops.host_values import on_device


@dataclass(frozen=True)
class Part:
    """So many cached tokens of a request, from one of them on."""

    request: int
    start: int
    length: int


def plan(contexts: Sequence[int], limit: int, block_size: int) -> list[list[Part]]:
    """Return chunks of at most ``limit`` tokens that together hold all contexts, request by request.

    A part starts with a block, and the requests of a chunk follow each other. Raises ValueError for a limit below
    one block.
    """
    if limit < block_size:
        raise ValueError(f"a chunk of {limit} tokens cannot hold a block of {block_size}")
    chunks: list[list[Part]] = []
    free = 0
    for request, context in enumerate(contexts):
        if context == 0:
            free = 0
        start = 0
        while start < context:
            if free < block_size and free < context - start:
                chunks.append([])
                free = limit
            left = context - start
            # What does not fit ends with a block, so that the next part starts with one.
            length = left if left <= free else free // block_size * block_size
            chunks[-1].append(Part(request, start, length))
            start += length
            free -= length
    return chunks


@dataclass(frozen=True)
class Chunk:
    """A chunk as the operators want it: lengths on the host, block tables on the device."""

    #: The query tokens of the requests that the chunk has parts of.
    tokens: slice
    query_ends: list[int]
    key_ends: list[int]
    lengths: torch.Tensor
    #: Begins with the block that the part starts with.
    block_table: torch.Tensor


def describe(parts: Sequence[Part], query_ends: Sequence[int], block_table: torch.Tensor, block_size: int) -> Chunk:
    """Return the chunk of the parts; ``query_ends`` and ``block_table`` are those of all requests."""
    starts = [0, *query_ends]
    first = starts[parts[0].request]
    lengths = [part.length for part in parts]
    width = -(-max(lengths) // block_size)
    device = block_table.device
    rows = on_device([[part.request] for part in parts], device)
    columns = on_device([[part.start // block_size + i for i in range(width)] for part in parts], device)
    return Chunk(
        tokens=slice(first, query_ends[parts[-1].request]),
        query_ends=[query_ends[part.request] - first for part in parts],
        key_ends=list(accumulate(lengths)),
        lengths=on_device(lengths, device, torch.int32),
        block_table=block_table[rows, columns.clamp_(max=block_table.shape[1] - 1)],
    )
