"""Turning pairs: of the two halves of a vector, or of neighbours."""

import torch


def rotated(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor, mode: str) -> torch.Tensor:
    """Return ``x * cos + turned(x) * sin``; ``mode`` is 'half' or 'interleave'."""
    if mode == "half":
        first, second = x.chunk(2, -1)
        turned = torch.cat((-second, first), -1)
    else:
        turned = torch.stack((-x[..., 1::2], x[..., ::2]), -1).flatten(-2)
    return x * cos + turned * sin


def neighbours_as_halves(x: torch.Tensor) -> torch.Tensor:
    """Return ``x`` with the first of all pairs of neighbours before the second ones."""
    return torch.cat((x[..., ::2], x[..., 1::2]), -1)
