"""Prefill in pieces of graphs, cut at the attention; decode batches as one graph each."""

from vllm_npu_cases.cases import register
from vllm_npu_cases.cases.case import Case
from vllm_npu_cases.cases.graphs_full import ask, differs
from vllm_npu_cases.models.qwen3 import RECIPE

register(
    Case(
        "graphs_pieces",
        RECIPE,
        engine={
            "enforce_eager": False,
            "compilation_config": {
                "cudagraph_mode": "FULL_AND_PIECEWISE",
                # Captured with padding alone: of 192 tokens more than a block has slots.
                "cudagraph_capture_sizes": [1, 2, 4, 8, 16, 32, 64, 128, 192],
            },
        },
        needs=frozenset({"breakable_graphs"}),
        variables={"VLLM_USE_BREAKABLE_CUDAGRAPH": "1"},
        ask=ask,
        differs=differs,
        faults=("stale_update", "call_left_out", "cache_update_left_out"),
    )
)
