"""Decode batches as graphs in two processes, with the collectives between them: both replay the same ones."""

from ascend_backend.simulation.cases import register
from ascend_backend.simulation.cases.case import Case
from ascend_backend.simulation.cases.graphs_full import SIZES, ask, differs
from ascend_backend.simulation.models.qwen3 import RECIPE

register(
    Case(
        "graphs_tensor_parallel",
        RECIPE,
        engine={
            "enforce_eager": False,
            "compilation_config": {"cudagraph_mode": "FULL_DECODE_ONLY", "cudagraph_capture_sizes": SIZES},
            "tensor_parallel_size": 2,
            "distributed_executor_backend": "mp",
        },
        ask=ask,
        differs=differs,
    )
)
