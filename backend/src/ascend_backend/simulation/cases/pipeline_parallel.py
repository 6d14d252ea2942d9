"""Pipeline parallel: one process has the first layer, another the second."""

from ascend_backend.simulation.cases import register
from ascend_backend.simulation.cases.case import Case
from ascend_backend.simulation.models.qwen3 import RECIPE

register(Case("pipeline_parallel", RECIPE, engine={"pipeline_parallel_size": 2, "distributed_executor_backend": "mp"}))
