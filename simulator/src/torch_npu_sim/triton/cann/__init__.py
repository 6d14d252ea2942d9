"""What Triton-Ascend adds to Triton (``triton.language.extra.cann``), as far as the interpreter computes it."""

from torch_npu_sim.triton.cann import extension, libdevice

__all__ = ["extension", "libdevice"]
