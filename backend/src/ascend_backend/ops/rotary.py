"""Rotary position embedding."""

import torch
import torch_npu


def rotary_mul(x: torch.Tensor, cos: torch.Tensor, sin: torch.Tensor, *, neox: bool) -> torch.Tensor:
    """Return ``x`` rotated; ``x`` is [tokens, heads, size], ``cos`` and ``sin`` are [tokens, size].

    ``neox`` rotates halves, otherwise neighbouring pairs are rotated. The operator takes BSND; the tokens
    are its S axis, so that cos and sin have the shape 1S1D, which both modes accept.
    """
    mode = "half" if neox else "interleave"
    rotated = torch_npu.npu_rotary_mul(x.unsqueeze(0), cos[None, :, None], sin[None, :, None], mode)
    return rotated.squeeze(0)
