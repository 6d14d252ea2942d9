"""Decode batches as graphs in two processes, with the collectives between them."""

from vllm_npu_cases.cases import register
from vllm_npu_cases.cases.case import Case
from vllm_npu_cases.cases.graphs_full import SIZES, ask, differs
from vllm_npu_cases.models.qwen3 import RECIPE

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
        faults=("stale_update", "all_reduce_left_out"),
    )
)
