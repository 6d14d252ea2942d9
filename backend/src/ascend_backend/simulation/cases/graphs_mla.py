"""Latent attention in graphs of decode batches."""

from ascend_backend.simulation.cases import register
from ascend_backend.simulation.cases.case import Case
from ascend_backend.simulation.cases.graphs_full import SIZES, ask, differs
from ascend_backend.simulation.models.deepseek_v3 import RECIPE

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
    )
)
