"""Sentences about norms, products, experts and what else there is."""

from torch_npu_sim.strictness.left_out import LeftOut

LEFT_OUT: tuple[LeftOut, ...] = ()
