"""Latent attention in graphs of decode batches."""

from vllm_npu_cases.cases import register
from vllm_npu_cases.cases.case import Case
from vllm_npu_cases.cases.graphs_full import SIZES, ask, differs
from vllm_npu_cases.models.deepseek_v3 import RECIPE

register(
    Case(
        "graphs_mla",
        RECIPE,
        engine={
            "enforce_eager": False,
            "compilation_config": {"cudagraph_mode": "FULL_DECODE_ONLY", "cudagraph_capture_sizes": SIZES},
        },
        ask=ask,
        differs=differs,
        faults=("stale_update", "call_left_out"),
    )
)
