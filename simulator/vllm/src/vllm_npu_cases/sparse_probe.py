"""A mixin of the workers of an engine whose caches are too large to be held: a larger device, whose memory the
host has mapped, and holds once it is written to."""

from typing import Any

import torch
from torch_npu_sim.device import native

from vllm_npu_cases import bfloat16_probe

_LARGE = 1 << 30
_TOTAL = 32 << 30
_zeros = torch.zeros


def _sparse(*size: Any, **given: Any) -> torch.Tensor:
    """Return zeros; many of them are memory that was mapped anew, and is not written to."""
    found = torch.empty(*size, **given)
    return found if found.nbytes >= _LARGE else _zeros(*size, **given)


native.functions().set_total(0, _TOTAL)
torch.zeros = _sparse  # type: ignore[assignment]


class Probe(bfloat16_probe.Probe):
    """The methods that the cases call."""
