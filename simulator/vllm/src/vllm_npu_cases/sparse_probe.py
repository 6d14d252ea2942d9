"""What is mixed into the workers of an engine whose caches are too large to be held: memory that nobody writes."""

from typing import Any

import torch

from vllm_npu_cases import bfloat16_probe

_LARGE = 1 << 30
_zeros = torch.zeros


def _sparse(*size: Any, **given: Any) -> torch.Tensor:
    """Return zeros; many of them are memory that the host has mapped anew, and holds once it is written to."""
    found = torch.empty(*size, **given)
    return found if found.nbytes >= _LARGE else _zeros(*size, **given)


torch.zeros = _sparse  # type: ignore[assignment]


class Probe(bfloat16_probe.Probe):
    """The methods that the cases call."""
