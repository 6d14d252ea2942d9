"""Tensor parallel: every layer is split between two processes."""

from ascend_backend.simulation.cases import register
from ascend_backend.simulation.cases.case import Case
from ascend_backend.simulation.models.qwen3 import RECIPE

register(Case("tensor_parallel", RECIPE, engine={"tensor_parallel_size": 2, "distributed_executor_backend": "mp"}))
