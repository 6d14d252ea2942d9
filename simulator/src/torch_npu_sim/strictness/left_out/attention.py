"""Sentences about attention, rotation and caches."""

from torch_npu_sim.strictness.left_out import LeftOut

LEFT_OUT: tuple[LeftOut, ...] = ()
