"""Tensor parallel: every layer is split between two processes."""

from typing import Any

from vllm_npu_cases.cases import register
from vllm_npu_cases.cases.case import Case, ask_heads, equal
from vllm_npu_cases.models.qwen3 import RECIPE


def _differs(answer: Any, expected: Any) -> str | None:
    model = RECIPE.configuration()
    halves = [model.num_attention_heads // 2] * model.num_hidden_layers
    if [[*worker.values()] for worker in answer["heads"]] != [halves, halves]:
        return f"layers are not split between two processes, their heads are {answer['heads']}"
    return equal(answer["tokens"], expected)


register(
    Case(
        "tensor_parallel",
        RECIPE,
        engine={"tensor_parallel_size": 2, "distributed_executor_backend": "mp"},
        ask=ask_heads,
        differs=_differs,
        faults=("all_reduce_left_out",),
    )
)
