"""Schemas of operators: those of torch_npu wheels."""
