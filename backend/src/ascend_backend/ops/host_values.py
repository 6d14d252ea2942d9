"""Numbers that the host has computed, for the device."""

from typing import Any

import torch


def on_device(numbers: Any, device: torch.device, dtype: torch.dtype = torch.int64) -> torch.Tensor:
    """Return a tensor of numbers, or of lists of them. The copy is made beside the host's work, which does not wait."""
    on_host = torch.tensor(numbers, dtype=dtype, device="cpu", pin_memory=device.type != "cpu")
    return on_host.to(device, non_blocking=True)
