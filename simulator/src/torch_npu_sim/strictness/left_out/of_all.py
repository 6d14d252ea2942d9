"""Sentences that the documents of many operators share."""

from torch_npu_sim.strictness.left_out import LeftOut, Why

LEFT_OUT: tuple[LeftOut, ...] = (LeftOut((), Why.DEVICES, ("Atlas 推理系列加速卡产品", "Atlas 推理系列产品")),)
