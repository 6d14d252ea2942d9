"""Pipeline parallel: one process has the first layer, another the second."""

from typing import Any

from vllm_npu_cases.cases import register
from vllm_npu_cases.cases.case import Case, ask_heads, equal
from vllm_npu_cases.models.qwen3 import RECIPE


def _differs(answer: Any, expected: Any) -> str | None:
    layers = [list(worker) for worker in answer["heads"]]
    if len(layers) != 2 or not all(len(worker) == 1 for worker in layers) or layers[0] == layers[1]:
        return f"two processes do not have one layer each, but {layers}"
    return equal(answer["tokens"], expected)


register(
    Case(
        "pipeline_parallel",
        RECIPE,
        engine={"pipeline_parallel_size": 2, "distributed_executor_backend": "mp"},
        ask=ask_heads,
        differs=_differs,
        faults=("zeros_sent",),
    )
)
