"""Triton-Ascend's additions to Triton (``triton.language.extra.cann``) that the interpreter can compute."""

from torch_npu_sim.triton.cann import extension, libdevice

__all__ = ["extension", "libdevice"]
