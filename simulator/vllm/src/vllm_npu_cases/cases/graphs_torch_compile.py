"""Graphs of pieces: torch.compile cuts the model at the attention, and every piece is captured."""

from vllm_npu_cases.cases import register
from vllm_npu_cases.cases.case import Case
from vllm_npu_cases.cases.graphs_full import SIZES, ask, differs
from vllm_npu_cases.models.qwen3 import RECIPE

register(
    Case(
        "graphs_torch_compile",
        RECIPE,
        engine={
            "enforce_eager": False,
            "compilation_config": {"cudagraph_mode": "PIECEWISE", "cudagraph_capture_sizes": SIZES},
        },
        needs=frozenset({"compiled_graphs"}),
        ask=ask,
        differs=differs,
        faults=("call_left_out",),
    )
)
